import { ServiceError } from '../../../service/errors';
import { type RowResult } from '../../contract';
import { type AccountConnection } from '../../../service/accounts';
import { type ActivityDeps } from '../../deps';
import { type CreateDeps } from '../create-deps';

/**
 * Before a row is created again: reads the publications that it had before (section 4.6). One that has not failed after
 * all is the row's, and nothing is created. Null: nothing prevents a create.
 */
export async function readEarlier(
  deps: CreateDeps,
  connection: AccountConnection,
  { rowId, earlier }: { rowId: number; earlier: readonly string[] },
  signal: AbortSignal,
): Promise<RowResult | null> {
  if (earlier.length === 0) return null;
  const replaced = new Set(await deps.ledger.replacedDrafts(rowId));
  for (const publicationId of earlier) {
    try {
      const read = replaced.has(publicationId) ? readReplaced : readFailed;
      const found = await read(deps, connection, publicationId, signal);
      if (found.kind === 'none') continue;
      const state =
        found.kind === 'unproven'
          ? await deps.ledger.askAboutDraft(rowId, { publicationId, why: found.why })
          : await deps.ledger.revive(rowId, { publicationId, status: found.status ?? 'unknown' });
      if (found.kind === 'live')
        deps.log.info('an earlier publication of a row has not failed; nothing new is created', { row: rowId });
      return { id: rowId, result: 'done', state };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return unread(deps, rowId, error);
    }
  }
  return null;
}

type Found =
  /** Nothing of it is published, or will be. */
  | { kind: 'none' }
  | { kind: 'live'; status: string | null }
  /** Nothing proves either. */
  | { kind: 'unproven'; why: string };

/** Of a publication that had failed when it was last read. */
async function readFailed(
  _: CreateDeps,
  { client }: AccountConnection,
  publicationId: string,
  signal: AbortSignal,
): Promise<Found> {
  try {
    const { status } = await client.getPublication(publicationId, { signal });
    return status === 'failed' ? { kind: 'none' } : { kind: 'live', status };
  } catch (error) {
    // Its record was deleted since, or the read shows an earlier state: nothing suggests that it was published.
    if (error instanceof ServiceError && error.kind === 'not-found') return { kind: 'none' };
    throw error;
  }
}

/**
 * Of a draft that is to be replaced. The service may publish a pending one at any time, even after the create that
 * replaces it, and a read may show an earlier state. So it is set back to draft first (interface, section 4.7): an
 * answer to that shows that it is one, and remains one.
 */
async function readReplaced(
  deps: CreateDeps,
  connection: AccountConnection,
  publicationId: string,
  signal: AbortSignal,
): Promise<Found> {
  const { client } = connection;
  try {
    const { status } = await client.getPublication(publicationId, { signal });
    if (status === 'failed') return { kind: 'none' };
    if (status !== 'draft' && status !== 'pending') return { kind: 'live', status };
    try {
      const changed = await client.updatePublication(publicationId, { status: 'draft' }, { signal });
      return changed.status === 'draft' ? { kind: 'none' } : { kind: 'live', status: changed.status };
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.kind !== 'refused' && error.status !== 409)) throw error;
      // The service has published it or is doing so: it is followed, and nothing new is created.
      if (status === 'pending') return { kind: 'live', status };
      return {
        kind: 'unproven',
        why: `the service shows it as a draft, but refused to keep it one (${error.message})`,
      };
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'not-found') throw error;
    if (await deps.isProvenDeleted(connection, publicationId, signal)) return { kind: 'none' };
    return { kind: 'unproven', why: 'the service does not find it now, which does not prove that it was deleted' };
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
