import { type DraftChange, type DraftOutcome } from '../../../ledger/submissions/drafts';
import { type RunRef } from '../../../ledger/model/types';
import { PATCH_STATUSES } from '../../../service/limits';
import { type UpdatePublicationPatch } from '../../../service/api/client';
import { ServiceError } from '../../../service/errors';
import { type AccountConnection } from '../../../service/accounts';
import { type ActivityDeps } from '../../deps';
import { byAccount } from '../../accounts/by-account';
import { usableAccount } from '../../accounts/usable-account';

/**
 * Updates drafts to the run's manifest by PATCH (interface, section 4.7): each is read first, since only drafts and
 * pending ones can be changed. Sending the same change twice is harmless. A change without an answer is recorded in its
 * row, so that neither the other drafts nor the run's creates wait for it, and is retried while the run is followed.
 */
export async function changeDrafts(
  deps: ActivityDeps,
  run: RunRef,
  context: { heartbeat(details: unknown): void },
): Promise<void> {
  const changes = await deps.ledger.draftChanges(run);
  await deps.ledger.dropPendingDrafts(
    run,
    changes.map(({ rowId }) => rowId),
  );
  let done = 0;
  for (const [account, group] of byAccount(changes)) {
    const connection = usableAccount(deps, account);
    let away = connection === null ? `account ${account} can't be used by this worker` : null;
    for (const change of group) {
      const asked = connection === null || away !== null ? null : await changeOne(connection, change);
      if (asked?.kind === 'away') away = asked.why;
      await deps.ledger.recordDraftChange(run, change, outcomeOf(deps, asked, away));
      done += 1;
      context.heartbeat({ drafts: done });
    }
  }
}

/** `away`: the account's other drafts would fail the same way. `failing`: only this draft. */
type Asked = DraftOutcome | { kind: 'away'; why: string } | { kind: 'failing'; why: string };

function outcomeOf(deps: ActivityDeps, asked: Asked | null, away: string | null): DraftOutcome {
  if (asked !== null && asked.kind !== 'away' && asked.kind !== 'failing') return asked;
  const message = asked?.why ?? away ?? 'the service did not answer';
  return { kind: 'unanswered', message, giveUpAt: deps.now() + deps.timings.reconcileForMs };
}

async function changeOne({ client }: AccountConnection, change: DraftChange): Promise<Asked> {
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
    return failureOf(error);
  }
}

/**
 * A change may be sent again, so a conflict is a refusal here, unlike for a create, where it leaves open what was
 * created.
 */
function failureOf(error: ServiceError): Asked {
  if (error.kind === 'not-found') {
    const message = 'not changed: the draft’s record is gone at the service';
    return { kind: 'refused', code: 'record-deleted', message };
  }
  if (error.kind === 'refused' || error.kind === 'access' || error.status === 409) {
    return { kind: 'refused', code: 'patch-refused', message: `not changed: ${error.message}` };
  }
  const isAway = error.kind === 'connect' || error.kind === 'throttled';
  return { kind: isAway ? 'away' : 'failing', why: error.message };
}
