import { readRun, shownSnapshot } from './runs';
import { type RowState, UNCHANGED_CODES } from './states';
import { iso, type Store } from './store';
import { type ProblemRow, type RunRef } from './types';

const PROBLEMS: readonly RowState[] = ['failed', 'rejected', 'unconfirmed', 'overdue'];

/** Rows of the run's manifest that ended otherwise than asked, drafts that could not be changed among them, the newest first. `limit`: 10 by default. */
export async function problemRows(store: Store, run: RunRef, limit = 10): Promise<ProblemRow[]> {
  const snapshotId = await shownSnapshot(store.db, await readRun(store.db, run));
  if (snapshotId === null) return [];
  const rows = await store.db
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select(['rows.line', 'rows.key', 'rows.label', 'rows.state', 'rows.code', 'rows.message', 'rows.ended_at'])
    .select('channels.label as channel')
    .where('rows.snapshot_id', '=', snapshotId)
    .where((eb) =>
      eb.or([
        eb('rows.state', 'in', PROBLEMS),
        eb.and([eb('rows.state', '=', 'drafted'), eb('rows.code', 'in', UNCHANGED_CODES)]),
      ]),
    )
    .orderBy('rows.ended_at', 'desc')
    .orderBy('rows.position')
    .limit(limit)
    .execute();
  return rows.map(({ ended_at, ...row }) => ({ ...row, endedAt: iso(ended_at) }));
}
