import { readChannelNames } from '../rows/channel-names';
import { lineIn } from '../rows/line-in-manifest';
import { rowsOf, viewOf } from '../runs/view';
import { DIFFERING_CODES, type RowState, UNCHANGED_CODES } from '../model/states';
import { iso, type Store } from '../engine/store';
import { type ProblemRow } from '../model/result-types';
import { type ViewRef } from '../model/types';

/** Rows that did not succeed, as queries that an index answers: by state, and by code where the state alone isn't enough. */
const PROBLEMS: readonly { states: readonly RowState[]; codes?: readonly string[] }[] = [
  { states: ['failed', 'rejected', 'unconfirmed', 'overdue'] },
  { states: ['drafted'], codes: UNCHANGED_CODES },
  { states: ['published'], codes: DIFFERING_CODES },
];

/**
 * Rows of a view that did not succeed, including drafts that could not be changed and rows that are live but not as
 * requested, the newest first. `limit`: 10 by default.
 */
export async function problemRows(store: Store, ref: ViewRef, limit = 10): Promise<ProblemRow[]> {
  const view = await viewOf(store.db, ref);
  const nameOf = await readChannelNames(store.db);
  const found: { row: Omit<ProblemRow, 'endedAt'>; endedAt: number | null; position: number }[] = [];
  const questions = (await rowsOf(store.db, view)).flatMap((some) =>
    PROBLEMS.map(({ states, codes }) => {
      const inState = some.where('rows.state', 'in', states);
      return codes === undefined ? inState : inState.where('rows.code', 'in', codes);
    }),
  );
  for (const some of questions) {
    const rows = await some
      .innerJoin('channels', 'channels.id', 'rows.channel_id')
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select(['rows.key', 'rows.label', 'rows.state', 'rows.code', 'rows.message', 'rows.ended_at', 'rows.line'])
      .select(['rows.account', 'rows.profile_id', 'rows.platform', 'rows.snapshot_id', 'rows.position'])
      .select(['channels.label as channel', 'runs.number'])
      .orderBy('rows.ended_at', 'desc')
      .orderBy('rows.position')
      .limit(limit)
      .execute();
    for (const { account, profile_id, platform, snapshot_id, ended_at: endedAt, position, number, ...row } of rows) {
      const channel = nameOf({
        account,
        profileId: profile_id === '' ? null : profile_id,
        platform,
        label: row.channel,
      });
      const shown = await lineIn(store.db, view.snapshotId, { ...row, account, profile_id, platform, snapshot_id });
      const run = number === null ? null : `${view.campaign}.${String(number)}`;
      found.push({ row: { ...row, ...shown, channel, run }, endedAt, position });
    }
  }
  return found
    .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0) || a.position - b.position)
    .slice(0, limit)
    .map(({ row, endedAt }) => ({ ...row, endedAt: iso(endedAt) }));
}
