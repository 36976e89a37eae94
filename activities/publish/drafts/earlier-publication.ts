import { ServiceError } from '../../../service/errors';
import { type RowResult } from '../../contract';
import { type AccountConnection } from '../../../service/accounts';
import { type ActivityDeps } from '../../deps';

/**
 * Before a row is created again: reads the publications that it had before (section 4.6). One that has not failed after
 * all is the row's, and nothing is created. Null: nothing prevents a create.
 */
export async function readEarlier(
  deps: ActivityDeps,
  connection: AccountConnection,
  { rowId, earlier }: { rowId: number; earlier: readonly string[] },
  signal: AbortSignal,
): Promise<RowResult | null> {
  if (earlier.length === 0) return null;
  const replaced = new Set(await deps.ledger.replacedDrafts(rowId));
  for (const publicationId of earlier) {
    try {
      const isReplaced = replaced.has(publicationId);
      const status = await statusOf(connection, publicationId, { isReplaced, signal });
      if (status === 'failed') continue;
      // The draft that is to be replaced by a new publication.
      if (isReplaced && status === 'draft') continue;
      const state = await deps.ledger.revive(rowId, { publicationId, status: status ?? 'unknown' });
      deps.log.info('an earlier publication of a row has not failed; nothing new is created', { row: rowId });
      return { id: rowId, result: 'done', state };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Its record was deleted, and it had failed when it was last read: nothing suggests that it was published.
      if (error.kind === 'not-found') continue;
      return unread(deps, rowId, error);
    }
  }
  return null;
}

/**
 * What the service shows. It may publish a pending draft at any time, even after the create that replaces it, so a
 * pending one is set back to draft first (interface, section 4.7).
 */
async function statusOf(
  { client }: AccountConnection,
  publicationId: string,
  { isReplaced, signal }: { isReplaced: boolean; signal: AbortSignal },
): Promise<string | null> {
  const { status } = await client.getPublication(publicationId, { signal });
  if (!isReplaced || status !== 'pending') return status;
  try {
    return (await client.updatePublication(publicationId, { status: 'draft' }, { signal })).status;
  } catch (error) {
    // The service has published it or is doing so: it is followed, and nothing new is created.
    if (error instanceof ServiceError && (error.kind === 'refused' || error.status === 409)) return status;
    throw error;
  }
}

/** Without an answer nothing is created: the row stays as it is, and is tried again. */
function unread(deps: ActivityDeps, rowId: number, error: ServiceError): RowResult {
  const { throttledMs, retryAfterMaxMs } = deps.timings;
  const waiting = { id: rowId, state: 'planned', code: 'earlier-unread' };
  if (error.kind === 'access') return { ...waiting, result: 'refused-access', waitMs: throttledMs };
  if (error.sent === 'never' && error.kind !== 'aborted') return { ...waiting, result: 'unreachable' };
  return { ...waiting, result: 'later', waitMs: Math.min(error.retryAfterMs ?? throttledMs, retryAfterMaxMs) };
}
