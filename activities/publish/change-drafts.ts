import { type DraftChange, type DraftOutcome } from '../../ledger/submissions/drafts';
import { type RunRef } from '../../ledger/model/types';
import { PATCH_STATUSES } from '../../service/limits';
import { type UpdatePublicationPatch } from '../../service/api/client';
import { ServiceError } from '../../service/errors';
import { type AccountConnection, type ActivityDeps } from '../deps';

/**
 * Brings drafts to the run's manifest by PATCH (interface, section 4.7): each is read first, as only drafts and pending ones
 * can be changed. Sending the same change twice is harmless, so a lost answer is simply repeated with the activity.
 * @throws ServiceError when the service can't be asked
 */
export async function changeDrafts(
  deps: ActivityDeps,
  run: RunRef,
  context: { heartbeat(details: unknown): void },
): Promise<void> {
  let done = 0;
  for (const change of await deps.ledger.draftChanges(run)) {
    const outcome = await changeOne(deps.accounts.get(change.account), change);
    await deps.ledger.recordDraftChange(run, change, outcome);
    done += 1;
    context.heartbeat({ drafts: done });
  }
}

async function changeOne({ client }: AccountConnection, change: DraftChange): Promise<DraftOutcome> {
  const { publicationId } = change;
  try {
    const { status } = await client.getPublication(publicationId);
    if (status === 'processing' || status === 'published' || status === 'failed') return { kind: 'went-on', status };
    if (!(PATCH_STATUSES as readonly (string | null)[]).includes(status)) {
      const message = `not changed: the service shows status ${JSON.stringify(status)}, and only drafts and pending ones can be changed`;
      return { kind: 'refused', code: 'publication-immutable', message };
    }
    const patch = Object.fromEntries(change.changes.map(({ field, to }) => [field, to])) as UpdatePublicationPatch;
    const changed = await client.updatePublication(publicationId, patch);
    return { kind: 'changed', status: changed.status };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.kind === 'not-found') {
      return {
        kind: 'refused',
        code: 'record-deleted',
        message: 'not changed: the draft’s record is gone at the service',
      };
    }
    if (error.kind === 'refused' || error.kind === 'access') {
      return { kind: 'refused', code: 'patch-refused', message: `not changed: ${error.message}` };
    }
    throw error;
  }
}
