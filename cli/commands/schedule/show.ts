import { type Firing, type StoredSchedule } from '../../../ledger/model/firing-types';
import { timingText } from '../../../manifests/settings/schedule-timing';
import { type ScheduleContext } from './context';
import { countFlag } from './definition/flags';
import { type Counts } from '../../../ledger/model/types';
import { type Output } from '../../terminal/output';
import { inReaderZone } from '../../../wording/times';
import { safeText } from '../../terminal/safe-text';
import { timeTitle } from '../../terminal/table';
import { matchPause } from './pause-state';
import { findRemote, isGone, readRemote, type RemoteSchedule } from './remote';
import { settingsOf, shownTime, takeNow } from './show-made';

/** `schedule list`: each with its last result, next time and missed count. */
export async function listSchedules(context: ScheduleContext): Promise<void> {
  const { output, ledger, temporal } = context;
  const shown = [];
  for (const kept of await ledger.firings.schedules()) {
    const remote = await findRemote(temporal.client, kept.name);
    if (remote !== null) await catchUp(context, remote);
    shown.push(await summarize(context, kept, remote));
  }
  if (output.format === 'jsonl') for (const one of shown) await output.json(one);
  else if (output.format === 'json') await output.json({ version: 1, schedules: shown });
  else if (shown.length === 0) output.note('No schedules. Create one with `reelay schedule create NAME MANIFEST`.');
  else {
    await output.table(shown, [
      { title: 'SCHEDULE', value: (one) => one.schedule },
      { title: 'STATE', value: (one) => one.state },
      { title: 'WHEN', value: (one) => one.when },
      // Each in the zone of its own rule, which is shown beside it.
      {
        title: 'NEXT',
        value: ({ next }) => (output.wide === null ? output.cell(next?.utc ?? null) : (next?.local ?? null)),
      },
      {
        title: 'LAST',
        value: ({ last }) => (last === null ? null : `${output.wide === null ? last.key : last.local} ${last.outcome}`),
      },
      { title: 'MISSED', value: (one) => one.missed, align: 'right' },
      { title: 'NOTE', value: (one) => one.note, shrink: true },
    ]);
  }
}

async function summarize(
  { ledger }: Pick<ScheduleContext, 'ledger'>,
  kept: StoredSchedule,
  remote: RemoteSchedule | null,
) {
  const { name } = kept;
  const description = remote?.description;
  const [next] = description?.info.nextActionTimes ?? [];
  const zone = remote?.input.definition.zone ?? 'UTC';
  const paused = description?.state.paused ?? false;
  const [last] = (await ledger.firings.list(name, 20)).filter((one) => one.outcome !== 'missed');
  return {
    schedule: name,
    // It was deleted in Temporal, or Temporal lost its database.
    state: description === undefined ? 'gone' : paused ? 'paused' : 'active',
    when: remote === null ? null : `${timingText(remote.input.timing)} ${zone}`,
    next: next === undefined || paused ? null : shownTime(next.toISOString(), zone),
    last:
      last === undefined
        ? null
        : { ...(await shownFiring(ledger, last)), local: shownTime(last.nominalAt, zone).local },
    missed: await ledger.firings.missed(name),
    note: paused ? (description?.state.note ?? null) : null,
  };
}

/** `schedule show NAME`: settings, the next ten firings, and the outcomes of the last ones. */
export async function showSchedule(context: ScheduleContext, name: string): Promise<void> {
  const { output, ledger, temporal, flags } = context;
  const limit = flags.limit === undefined ? 20 : countFlag('--limit', flags.limit, 1);
  if (await isGone(context, name)) return showGone(context, name, limit);
  const remote = await readRemote(temporal.client, ledger, name);
  await catchUp(context, remote);
  const { description, input } = remote;
  const { zone } = input.definition;
  output.zone = zone;
  const firings = await lastFirings(ledger, name, limit);
  const next = description.info.nextActionTimes.map((time) => shownTime(time.toISOString(), zone));
  const { paused, note } = description.state;
  const manifestTake = await takeNow(input);
  if (!output.isText) {
    await output.json({
      version: 1,
      schedule: name,
      paused,
      note: note ?? null,
      settings: settingsOf(input, manifestTake),
      next,
      missed: await ledger.firings.missed(name),
      firings,
    });
    return;
  }
  output.note(`Schedule ${output.paint('bold', name)}: ${paused ? `paused (${note ?? ''})` : 'active'}`);
  for (const [what, value] of Object.entries(settingsOf(input, manifestTake)))
    output.note(`  ${what.padEnd(12)} ${value}`);
  // Temporal lists the next times of a paused schedule too.
  const label = paused ? 'skipped' : 'next';
  for (const [at, { utc }] of next.entries())
    output.note(`  ${(at === 0 ? label : '').padEnd(12)} ${output.time(utc)}`);
  if (paused) {
    output.note(`  Those times are skipped while it is paused. To fire again: \`reelay schedule unpause ${name}\``);
  }
  await showFirings(output, firings);
}

/** What remains of a schedule that no longer exists in Temporal: the ledger's records of its firings. */
async function showGone({ output, ledger }: ScheduleContext, name: string, limit: number): Promise<void> {
  const firings = await lastFirings(ledger, name, limit);
  if (!output.isText) {
    const missed = await ledger.firings.missed(name);
    await output.json({ version: 1, schedule: name, gone: true, next: [], missed, firings });
    return;
  }
  output.note(
    `Schedule ${output.paint('bold', name)}: no longer exists in Temporal, so it doesn’t fire. Create it again with \`schedule create\`, or run \`schedule delete ${name}\`.`,
  );
  await showFirings(output, firings);
}

/** As a table; on a terminal, the reasons are below it in full, because a column has no space for them. */
export async function showFirings(output: Output, firings: readonly ShownFiring[]): Promise<void> {
  if (firings.length === 0 && output.wide !== null) {
    output.note('It has not fired yet.');
    return;
  }
  const name = ({ key }: ShownFiring): string =>
    output.wide === null ? key : inReaderZone(key, output.clock, { steady: true });
  await output.table(firings, [
    { title: 'FIRING', value: name, whole: true },
    { title: 'OUTCOME', value: (one) => one.outcome },
    { title: 'RUN', value: (one) => one.run, whole: true },
    { title: 'ROWS', value: (one) => rowsText(one.rows), shrink: true },
    { title: timeTitle(output, 'ENDED'), value: (one) => output.cell(one.ended_at) },
    { title: 'WHY', value: (one) => one.reason, from: Infinity },
  ]);
  if (output.wide === null) return;
  const byReason = new Map<string, string[]>();
  for (const one of firings)
    if (one.reason !== null) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), name(one)]);
  const why = [...byReason].map(
    ([reason, names]) => `${safeText(names.join(', '))}: ${safeText(output.local(reason))}`,
  );
  if (why.length > 0) await output.lines(['', ...why], 2);
}

export type ShownFiring = Awaited<ReturnType<typeof shownFiring>>;

async function lastFirings(ledger: ScheduleContext['ledger'], name: string, limit: number): Promise<ShownFiring[]> {
  return Promise.all((await ledger.firings.list(name, limit)).map((firing) => shownFiring(ledger, firing)));
}

/** `3 published, 1 failed`. */
function rowsText(rows: Counts | null): string | null {
  if (rows === null) return null;
  const some = Object.entries(rows).map(([state, count]) => `${String(count)} ${state}`);
  return some.length === 0 ? null : some.join(', ');
}

export async function shownFiring(ledger: ScheduleContext['ledger'], firing: Firing) {
  const { key, nominalAt, outcome, code, reason, run, manifestHash, startedAt, endedAt, workflowId } = firing;
  return {
    key,
    nominal_at: nominalAt,
    outcome,
    code,
    reason,
    run: run === null ? null : `${run.campaign}.${String(run.number)}`,
    /** The rows that its run processed, by their current state. */
    rows: run === null ? null : await ledger.workedRows(run),
    manifest_hash: manifestHash,
    workflow_id: workflowId,
    started_at: startedAt,
    ended_at: endedAt,
  };
}

/** Records times that can't fire any more, so that they are shown before the next firing records them. */
async function catchUp(context: ScheduleContext, remote: RemoteSchedule): Promise<void> {
  const { ledger, server } = context;
  const { definition } = remote.input;
  await matchPause(context, remote);
  const { noteGaps, settleAbandoned } = await import('../../../activities/schedules/open-firing.js');
  await settleAbandoned({ ledger, schedules: server }, definition.schedule);
  // A firing that waits for the one before may still run, however late.
  if (definition.overlap === 'wait') return;
  await noteGaps({ ledger, schedules: server }, definition, Date.now() - definition.lateMs - SETTLED_MS);
}

/** A firing takes a moment from its time to its claim. */
const SETTLED_MS = 10_000;
