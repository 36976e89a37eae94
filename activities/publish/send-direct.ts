import { type AttemptOutcome } from '../../ledger/model/attempt-types';
import { type RowValues } from '../../ledger/model/types';
import { type CreateOptions } from '../../service/api/client';
import { type AccountConnection } from '../../service/accounts';

/**
 * Uploads a row of `via: direct` to its profile (interface, 4.3). Only the acknowledgement can ever be known, so the
 * row ends as `submitted`. Failures are thrown as for every create.
 */
export async function sendDirect(
  connection: AccountConnection,
  values: RowValues,
  options: CreateOptions,
): Promise<AttemptOutcome> {
  const { profileId, source } = values;
  // The manifest's check refuses such rows; nothing has been sent.
  if (profileId === null || source === null || values.sourceKind !== 'file') {
    throw new TypeError('a direct publish needs a profile and a file');
  }
  const answer = await connection.client.publishDirect(
    profileId,
    {
      platform: values.platform,
      source: {
        kind: 'file',
        path: source,
        ...(values.fileSize === undefined ? {} : { size: values.fileSize }),
        ...(values.fileModifiedMs === undefined ? {} : { modifiedMs: values.fileModifiedMs }),
      },
      ...(values.title === null ? {} : { title: values.title }),
    },
    options,
  );
  const said = answer.message?.replace(/\.$/, '') ?? 'acknowledged';
  return { kind: 'submitted', publishId: answer.publishId, message: `${said}; no outcome can be read` };
}
