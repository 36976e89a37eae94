import { lineIn } from '../rows/line-in-manifest';
import { rowsOf, viewOf } from '../runs/view';
import { DIFFERING_CODES, type RowState, UNCHANGED_CODES } from '../model/states';
import { iso, type Store } from '../engine/store';
import { type ProblemRow, type ViewRef } from '../model/types';

const PROBLEMS: readonly RowState[] = ['failed', 'rejected', 'unconfirmed', 'overdue'];

/** Rows of a view that ended otherwise than requested, drafts that could not be changed and rows live otherwise among them, the newest first. `limit`: 10 by default. */
export async function problemRows(store: Store, ref: ViewRef, limit = 10): Promise<ProblemRow[]> {
  const view = await viewOf(store.db, ref);
  const found: (Omit<ProblemRow, 'endedAt'> & { ended_at: number | null })[] = [];
  for (const some of await rowsOf(store.db, view)) {
    const rows = await some
      .innerJoin('channels', 'channels.id', 'rows.channel_id')
      .select(['rows.key', 'rows.label', 'rows.state', 'rows.code', 'rows.message', 'rows.ended_at', 'rows.line'])
      .select(['rows.account', 'rows.profile_id', 'rows.platform', 'rows.snapshot_id'])
      .select('channels.label as channel')
      .where((eb) =>
        eb.or([
          eb('rows.state', 'in', PROBLEMS),
          eb.and([eb('rows.state', '=', 'drafted'), eb('rows.code', 'in', UNCHANGED_CODES)]),
          eb.and([eb('rows.state', '=', 'published'), eb('rows.code', 'in', DIFFERING_CODES)]),
        ]),
      )
      .orderBy('rows.ended_at', 'desc')
      .orderBy('rows.position')
      .limit(limit)
      .execute();
    for (const { account, profile_id, platform, snapshot_id, ...row } of rows) {
      const shown = await lineIn(store.db, view.snapshotId, { ...row, account, profile_id, platform, snapshot_id });
      found.push({ ...row, ...shown });
    }
  }
  return found
    .sort((a, b) => (b.ended_at ?? 0) - (a.ended_at ?? 0))
    .slice(0, limit)
    .map(({ ended_at, ...row }) => ({ ...row, endedAt: iso(ended_at) }));
}
