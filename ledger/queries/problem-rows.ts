import { outsideRows } from '../rows/not-in-manifest';
import { readRun, shownSnapshot } from '../runs/runs';
import { type RowState, UNCHANGED_CODES } from '../model/states';
import { iso, type Store } from '../engine/store';
import { type ProblemRow, type RunRef } from '../model/types';

const PROBLEMS: readonly RowState[] = ['failed', 'rejected', 'unconfirmed', 'overdue'];

/** Rows of the run that ended otherwise than asked, drafts that could not be changed among them, the newest first. `limit`: 10 by default. */
export async function problemRows(store: Store, ref: RunRef, limit = 10): Promise<ProblemRow[]> {
  const run = await readRun(store.db, ref);
  const snapshotId = await shownSnapshot(store.db, run);
  if (snapshotId === null) return [];
  const own = store.db.selectFrom('rows').where('rows.snapshot_id', '=', snapshotId);
  const found: (Omit<ProblemRow, 'endedAt'> & { ended_at: number | null })[] = [];
  for (const some of [own, ...outsideRows(store.db, run, snapshotId)]) {
    const rows = await some
      .innerJoin('channels', 'channels.id', 'rows.channel_id')
      .select(['rows.line', 'rows.key', 'rows.label', 'rows.state', 'rows.code', 'rows.message', 'rows.ended_at'])
      .select('channels.label as channel')
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
    found.push(...rows);
  }
  return found
    .sort((a, b) => (b.ended_at ?? 0) - (a.ended_at ?? 0))
    .slice(0, limit)
    .map(({ ended_at, ...row }) => ({ ...row, endedAt: iso(ended_at) }));
}
