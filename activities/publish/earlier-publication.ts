import { ServiceError } from '../../service/errors';
import { type RowResult } from '../contract';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';

/**
 * Before a row is created anew: reads the publications that it had before (section 4.6). One that has not failed after all
 * is the row's, and nothing is created. Null: nothing stands against a create.
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
      const { status } = await connection.client.getPublication(publicationId, { signal });
      if (status === 'failed') continue;
      // The draft in whose place a new one was asked for.
      if (replaced.has(publicationId) && (status === 'draft' || status === 'pending')) continue;
      const state = await deps.ledger.revive(rowId, { publicationId, status: status ?? 'unknown' });
      deps.log.info('an earlier publication of a row has not failed; nothing new is created', { row: rowId });
      return { id: rowId, result: 'done', state };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Its record was deleted, and it had failed when it was read last: nothing says that it was published.
      if (error.kind === 'not-found') continue;
      return unread(deps, rowId, error);
    }
  }
  return null;
}

/** Without an answer nothing is created: the row stays as it is, and is tried again. */
function unread(deps: ActivityDeps, rowId: number, error: ServiceError): RowResult {
  const { throttledMs, retryAfterMaxMs } = deps.timings;
  const waiting = { id: rowId, state: 'planned', code: 'earlier-unread' };
  if (error.kind === 'access') return { ...waiting, result: 'refused-access', waitMs: throttledMs };
  if (error.sent === 'never' && error.kind !== 'aborted') return { ...waiting, result: 'unreachable' };
  return { ...waiting, result: 'later', waitMs: Math.min(error.retryAfterMs ?? throttledMs, retryAfterMaxMs) };
}
