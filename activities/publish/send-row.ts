import { type ActivityContext } from '../context';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';
import { classifyCreateFailure } from './failure-table';
import { sendDirect } from './send-direct';
import { type AttemptOutcome, type ClaimResult } from '../../ledger/model/attempt-types';
import { type RowValues } from '../../ledger/model/types';
import { type CreatePublicationInput } from '../../service/api/create-input';
import { type CreateDeps } from './create-deps';

export type Claimed = Extract<ClaimResult, { claimed: true }>;

export async function send(
  deps: CreateDeps,
  connection: AccountConnection,
  rowId: number,
  claim: Claimed,
  context: ActivityContext,
): Promise<AttemptOutcome> {
  const { values } = claim;
  const upload = values.sourceKind === 'file';
  const cut = upload ? deps.cancels.watch(rowId) : null;
  let leaving = false;
  let answered = (): void => undefined;
  try {
    const options = {
      // A cancel interrupts only uploads: a small request in flight is faster to finish than to reconcile.
      ...(cut === null ? {} : { signal: AbortSignal.any([context.cancelled, cut.signal]) }),
      onProgress: (sent: number, total: number) => context.heartbeat({ line: claim.line, sent, total }),
      // The fence: a worker that slept after its claim must not send once its attempt has been given up.
      beforeSend: async () => {
        answered = await deps.departures.leave(claim.caps ?? [], () => demandPermission(deps, rowId, claim.attempt));
        leaving = true;
      },
    };
    if (values.via === 'direct') return await sendDirect(connection, values, options);
    const created = await connection.client.createPublication(toCreateInput(values), options);
    const { publication, message } = created;
    return {
      kind: 'accepted',
      publicationId: publication.id,
      status: publication.status ?? 'unknown',
      ...(message === null ? {} : { message }),
    };
  } catch (error) {
    if (error instanceof NoPermissionError) return { kind: 'never-sent', code: error.code, message: error.message };
    return classifyCreateFailure(error, {
      now: deps.now(),
      timings: deps.timings,
      trust429: connection.trust429,
      leaving,
    });
  } finally {
    answered();
    cut?.release();
  }
}

function toCreateInput(values: RowValues): CreatePublicationInput {
  return {
    platform: values.platform,
    source:
      values.sourceKind === 'file' && values.source !== null
        ? {
            kind: 'file',
            path: values.source,
            ...(values.fileSize === undefined ? {} : { size: values.fileSize }),
            ...(values.fileModifiedMs === undefined ? {} : { modifiedMs: values.fileModifiedMs }),
          }
        : values.sourceKind === 'url' && values.source !== null
          ? { kind: 'url', url: values.source }
          : { kind: 'none' },
    // A row is never claimed as pending; a draft publishes nothing.
    status: values.status === 'pending' ? 'draft' : values.status,
    ...(values.title === null ? {} : { title: values.title }),
    ...(values.description === null ? {} : { description: values.description }),
    ...(values.privacy === null ? {} : { privacy: values.privacy }),
    ...(values.profileId === null ? {} : { profileId: values.profileId }),
  };
}

async function demandPermission(deps: ActivityDeps, rowId: number, attempt: number): Promise<void> {
  let open: boolean;
  try {
    open = await deps.ledger.maySend(rowId, attempt, deps.worker.id);
  } catch (error) {
    throw new NoPermissionError('ledger-unreadable', `the ledger can’t be read, so nothing was sent: ${String(error)}`);
  }
  if (!open)
    throw new NoPermissionError('given-up', `attempt ${attempt} of row ${rowId} was given up before it was sent`);
}

/** Thrown right before the first byte: nothing was sent. */
class NoPermissionError extends Error {
  constructor(
    readonly code: 'given-up' | 'ledger-unreadable',
    message: string,
  ) {
    super(message);
    this.name = 'NoPermissionError';
  }
}
