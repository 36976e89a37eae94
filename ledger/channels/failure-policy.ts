import { gateScope, putGate } from '../runs/gates';
import { shortMessage } from '../model/labels';
import { layersOf, namesOf } from './pacing';
import { exceeds, rulesOf, runTolerance, type Tolerance } from '../pace/pace-rules';
import { park } from './parkings';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
import { type Store, type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';

const BAD: readonly RowState[] = ['failed', 'rejected'];
const GOOD: readonly RowState[] = ['published', 'drafted', 'submitted'];
const COUNTED: readonly RowState[] = [...GOOD, ...BAD, 'unconfirmed', 'overdue'];

export interface NotedEnd {
  row: RowRecord;
  state: RowState;
  code: string | null | undefined;
  message: string | null | undefined;
}

/**
 * Applies ends of rows to the rows that are still to come: a success ends its channel's streak of failures; a failed or
 * rejected row may park the channel, or stop the channel or the run by tolerance. This happens in the transaction that
 * records the ends, so that no claim slips in between.
 */
export async function noteEnds(store: Store, tx: Tx, ends: readonly NotedEnd[], now: number): Promise<void> {
  // Almost always every row succeeded: then this takes one statement, however many ended.
  let well = new Set<number>();
  for (const { row, state, code, message } of ends) {
    if (GOOD.includes(state)) well.add(row.channel_id);
    if (!BAD.includes(state)) continue;
    await endStreaks(tx, well);
    well = new Set();
    await noteFailure(store, tx, row, { code, message, now });
  }
  await endStreaks(tx, well);
}

async function endStreaks(tx: Tx, channelIds: ReadonlySet<number>): Promise<void> {
  if (channelIds.size === 0) return;
  await tx
    .updateTable('channels')
    .set({ streak: 0 })
    .where('id', 'in', [...channelIds])
    .where('streak', '!=', 0)
    .execute();
}

async function noteFailure(
  store: Store,
  tx: Tx,
  row: RowRecord,
  end: Pick<NotedEnd, 'code' | 'message'> & { now: number },
): Promise<void> {
  if (row.run_id === null) return;
  const channel = await tx
    .updateTable('channels')
    .set((eb) => ({ streak: eb('streak', '+', 1) }))
    .where('id', '=', row.channel_id)
    .returning(['id', 'text_id', 'account', 'profile_id', 'platform', 'label', 'streak'])
    .executeTakeFirstOrThrow();
  const run = await tx.selectFrom('runs').selectAll().where('id', '=', row.run_id).executeTakeFirstOrThrow();
  if (run.open !== 1) return;
  const settings = await settingsOf(store, tx, run.snapshot_id ?? row.entry_snapshot);
  const layers = await layersOf(tx, settings, run.id);
  const rules = rulesOf(layers, namesOf(channel));
  if (rules.parkAfter > 0 && channel.streak >= rules.parkAfter) {
    const last = end.message ? `; the last: ${end.message}` : '';
    const reason =
      shortMessage(`${channel.label}: ${channel.streak} consecutive rows failed or were rejected${last}`) ?? '';
    await park(tx, { account: channel.account, channel, reason }, end.now);
  }
  const failureText = `${end.code ?? ''} ${end.message ?? ''}`.toLowerCase();
  const sign = rules.parkOn?.find((text) => failureText.includes(text.toLowerCase()));
  if (sign !== undefined) {
    const reason =
      shortMessage(`${channel.label}: a row failed with “${sign}”: ${end.message ?? end.code ?? ''}`) ?? '';
    await park(tx, { account: channel.account, channel, reason }, end.now);
  }
  const ofRun = runTolerance(layers);
  if (ofRun !== undefined)
    await stopBeyond(tx, gateScope.run(run), ofRun, { runId: run.id, what: 'the run', now: end.now });
  if (rules.tolerate !== undefined) {
    const scope = gateScope.runChannel(run, channel.text_id);
    const what = channel.label;
    await stopBeyond(tx, scope, rules.tolerate, { runId: run.id, channelId: channel.id, what, now: end.now });
  }
}

async function stopBeyond(
  tx: Tx,
  scope: string,
  tolerance: Tolerance,
  of: { runId: number; channelId?: number; what: string; now: number },
): Promise<void> {
  const resumed = await tx
    .selectFrom('run_settings')
    .select('since')
    .where('run_id', '=', of.runId)
    .where('name', '=', RESUMED)
    .executeTakeFirst();
  let rows = tx
    .selectFrom('rows')
    .select((eb) => ['state', eb.fn.countAll<number | string>().as('rows')])
    .where('run_id', '=', of.runId)
    .where('state', 'in', COUNTED)
    .groupBy('state');
  if (of.channelId !== undefined) rows = rows.where('channel_id', '=', of.channelId);
  // Failures before a person's `resume` no longer count.
  if (resumed) rows = rows.where('ended_at', '>', resumed.since);
  const seen = { failed: 0, ended: 0 };
  for (const { state, rows: count } of await rows.execute()) {
    seen.ended += Number(count);
    if (BAD.includes(state)) seen.failed += Number(count);
  }
  if (!exceeds(tolerance, seen)) return;
  const limit = 'rows' in tolerance ? `${tolerance.rows}` : `${Math.round(tolerance.share * 1000) / 10}%`;
  const reason = `${of.what}: ${seen.failed} of ${seen.ended} rows that ended failed or were rejected, more than ${limit}`;
  await putGate(tx, { scope, kind: 'stopped', by: 'reelay', reason }, of.now);
}

/** Name under which a run stores when it was last resumed. */
export const RESUMED = 'resumed';
