import { type Firing, type NotedFiring } from '../../ledger/model/firing-types';
import { type ActivityDeps } from '../deps';
import { type OpenedFiring, type OpenFiringInput, type ScheduleDefinition } from './contract';
import { firingKey } from './firing-key';
import { type CalendarTimes, type ScheduleServer } from './schedule-server';
import { changedTimes } from './skipped-times';

export type FiringDeps = ActivityDeps & { schedules: ScheduleServer };

/** Maximum number of missed times recorded individually; older ones of a long gap are left out. */
const NOTED_AT_MOST = 500;

type FiringOfWorkflow = OpenFiringInput & {
  workflowId: string;
  /** When the server scheduled the activity that asks, by the server's clock, ms. */
  scheduledAt: number;
};

/**
 * Claims a firing in the ledger: only one workflow ever gets a key. After downtime several firings may be due at once:
 * the first workflow to ask runs the newest of them, if that is not too late, and the others are recorded as missed.
 */
export async function openFiring(deps: FiringDeps, input: FiringOfWorkflow): Promise<OpenedFiring> {
  const decided = await decide(deps, input);
  const { firings } = deps.ledger;
  const claimed =
    decided.firing === null ? await firings.ofWorkflow(input.definition.schedule, input.workflowId) : null;
  // Another attempt of the same workflow claimed it, and one of the two was frozen: it isn't known which of them is
  // given up, but what was claimed is run.
  return claimed?.outcome === 'open' ? opened(claimed) : decided;
}

async function decide(deps: FiringDeps, input: FiringOfWorkflow): Promise<OpenedFiring> {
  const { definition, workflowId } = input;
  const { schedule, keyed, zone } = definition;
  const { firings } = deps.ledger;
  const known = await firings.ofWorkflow(schedule, workflowId);
  if (known !== null) {
    await noteGaps(deps, definition, Date.parse(known.nominalAt));
    return known.outcome === 'open' ? opened(known) : ended(known);
  }
  const nominalAt = Date.parse(input.nominalAt);
  const current = await deps.schedules.definition(schedule);
  const here = await deps.schedules.matchingTimes(schedule, nominalAt - 1_000, nominalAt);
  if (current === null || here === null || (await firings.schedule(schedule)) === null) {
    // A worker may start long after it: by then it is no longer wanted.
    const reason = 'the schedule was deleted before this firing began';
    const key = firingKey(nominalAt, keyed, zone);
    return { due: false, firing: null, key, nominalAt: input.nominalAt, outcome: 'skipped', reason };
  }
  if (current.born !== definition.born) {
    // Under a separate key: the new schedule's times are free.
    const key = `${firingKey(nominalAt, 'utc', zone)} of the deleted schedule`;
    const reason = 'the schedule was deleted and created again before this firing began';
    await firings.note(schedule, [{ key, nominalAt, outcome: 'skipped', code: 'made-again', reason }]);
    return { due: false, firing: null, key, nominalAt: input.nominalAt, outcome: 'skipped', reason };
  }
  await settleAbandoned(deps, schedule);
  const changedAt = Date.parse(current.since);
  const retimed = !here.includes(nominalAt) && changedAt > Date.parse(definition.since);
  if (!here.includes(nominalAt) && !retimed) {
    // A time that the schedule doesn't have: someone triggered it now.
    const key = `manual ${firingKey(nominalAt, 'utc', zone)}`;
    return claim(deps, definition, { key, nominalAt, workflowId, again: false });
  }
  if (await firings.inBackfill(schedule, nominalAt)) {
    return claim(deps, definition, { key: firingKey(nominalAt, keyed, zone), nominalAt, workflowId, again: true });
  }
  const now = serverTime(deps.now(), { ...input, nextAt: current.nextAt });
  if (retimed) return openRetimed(deps, definition, { nominalAt, workflowId, changedAt, now });
  await noticeResumed(deps, definition, nominalAt);
  // Its time has come according to the server that fired it.
  const due = await dueTimes(deps, definition, Math.max(now, nominalAt));
  if (!due.includes(nominalAt)) {
    // Older than the time up to which firings are recorded: another firing has replaced it.
    const key = firingKey(nominalAt, keyed, zone);
    const reason = 'a later firing had replaced it';
    await firings.note(schedule, [{ key, nominalAt, outcome: 'missed', code: 'replaced', reason }]);
    return { due: false, firing: null, key, nominalAt: input.nominalAt, outcome: 'missed', reason };
  }
  const newest = due.at(-1) ?? nominalAt;
  if (now - newest > definition.lateMs && !(await hadToWait(deps, definition, newest))) {
    await noteGaps(deps, definition, newest);
    const reason = lateReason(definition);
    const key = firingKey(nominalAt, keyed, zone);
    return { due: false, firing: null, key, nominalAt: input.nominalAt, outcome: 'missed', reason };
  }
  const key = firingKey(newest, keyed, zone);
  const result = await claim(deps, definition, { key, nominalAt: newest, workflowId, again: false });
  await noteGaps(deps, definition, newest);
  return result;
}

/**
 * The time by the clock of the server that fires (ms). This machine's clock is right only between two times that are
 * certain: the server scheduled the activity before, and it fires the next time later. With a clock that is ahead, times
 * that the server has not fired yet would count as due, and a firing would get the key of another day.
 */
function serverTime(local: number, known: { scheduledAt: number; nextAt: number | undefined }): number {
  const isPossible = local >= known.scheduledAt && (known.nextAt === undefined || local < known.nextAt);
  return isPossible ? local : known.scheduledAt;
}

/**
 * A firing that waited while the schedule's times were changed. Its original times are no longer known: it counts as
 * one of them, within the same lateness, and only one of several such firings happens.
 */
async function openRetimed(
  deps: FiringDeps,
  definition: ScheduleDefinition,
  input: { nominalAt: number; workflowId: string; changedAt: number; now: number },
): Promise<OpenedFiring> {
  const { schedule, keyed, zone, lateMs } = definition;
  const { nominalAt, workflowId, changedAt, now } = input;
  const { firings } = deps.ledger;
  const waited = (await firings.list(schedule, 50)).some(
    (one) => one.workflowId !== null && Date.parse(one.startedAt) >= changedAt && Date.parse(one.nominalAt) < changedAt,
  );
  const late = now - nominalAt > lateMs;
  const key = firingKey(nominalAt, keyed, zone);
  if (!late && !waited) return claim(deps, definition, { key, nominalAt, workflowId, again: false });
  const reason = `the schedule was changed while it waited, and ${late ? 'it was too late by then' : 'another firing that waited had begun'}`;
  await firings.note(schedule, [{ key, nominalAt, outcome: 'missed', code: late ? 'late' : 'replaced', reason }]);
  return { due: false, firing: null, key, nominalAt: new Date(nominalAt).toISOString(), outcome: 'missed', reason };
}

async function claim(
  deps: FiringDeps,
  definition: ScheduleDefinition,
  input: { key: string; nominalAt: number; workflowId: string; again: boolean },
): Promise<OpenedFiring> {
  const { schedule, zone } = definition;
  const { firing, mine } = await deps.ledger.firings.open({ schedule, ...input });
  if (mine) return firing.outcome === 'open' ? opened(firing) : ended(firing);
  const clock = firingKey(input.nominalAt, 'time', zone);
  const sameClock = firingKey(Date.parse(firing.nominalAt), 'time', zone) === clock;
  // The schedule was moved to another time of day, after it had fired on that day.
  if (!sameClock && input.key !== clock) return claim(deps, definition, { ...input, key: clock });
  const utc = firingKey(input.nominalAt, 'utc', '');
  const same = Date.parse(firing.nominalAt) === input.nominalAt;
  const reason = same
    ? `${input.key} fired already (${firing.outcome})`
    : `the hour is repeated on this day: ${input.key} fired already at ${firing.nominalAt}`;
  const code = same ? 'fired-already' : 'repeated-hour';
  const { nominalAt } = input;
  // Also those beside the one that fired, so that the second of a pair is seen.
  if (!same) {
    const key = `${input.key} again ${utc}`;
    await deps.ledger.firings.note(schedule, [{ key, nominalAt, outcome: 'skipped', code, reason }]);
  }
  const at = new Date(nominalAt).toISOString();
  return { due: false, firing: null, key: input.key, nominalAt: at, outcome: 'skipped', reason };
}

/** The times up to now that have no firing and no record yet, oldest first. */
async function dueTimes(deps: FiringDeps, definition: ScheduleDefinition, now: number): Promise<number[]> {
  const from = await watchedTo(deps, definition);
  return (await deps.schedules.matchingTimes(definition.schedule, from, now)) ?? [];
}

async function watchedTo(deps: Pick<FiringDeps, 'ledger'>, { schedule, since }: ScheduleDefinition): Promise<number> {
  const kept = await deps.ledger.firings.schedule(schedule);
  return Math.max(Date.parse(since), kept?.watchedTo ?? 0);
}

/** Whether a firing of the schedule was under way at that time: then the wait was intended. */
async function hadToWait(deps: FiringDeps, definition: ScheduleDefinition, at: number): Promise<boolean> {
  if (definition.overlap !== 'wait') return false;
  return (await runningAt(deps, definition.schedule, at)) !== null;
}

async function runningAt(deps: Pick<FiringDeps, 'ledger'>, schedule: string, at: number): Promise<Firing | null> {
  const recent = await deps.ledger.firings.list(schedule, 50);
  const ran = recent.find(
    ({ workflowId, startedAt, endedAt }) =>
      workflowId !== null && Date.parse(startedAt) <= at && (endedAt === null || Date.parse(endedAt) >= at),
  );
  return ran ?? null;
}

/**
 * Records every time up to and including `upTo` (ms) that should have fired and has no firing, with the reason. Times
 * that the clocks skipped are recorded too.
 */
export async function noteGaps(
  deps: Pick<FiringDeps, 'ledger' | 'schedules'>,
  definition: ScheduleDefinition,
  upTo: number,
): Promise<NotedFiring[]> {
  const { schedule, keyed, zone } = definition;
  const { firings } = deps.ledger;
  const from = await watchedTo(deps, definition);
  if (upTo <= from) return [];
  const [times, calendars] = await Promise.all([
    deps.schedules.matchingTimes(schedule, from, upTo),
    deps.schedules.calendars(schedule),
  ]);
  if (times === null) return [];
  const noted: NotedFiring[] = [];
  for (const nominalAt of times.slice(-NOTED_AT_MOST)) {
    const running = await runningAt(deps, schedule, nominalAt);
    const kept = await firings.schedule(schedule);
    const paused = kept?.pausedAt !== null && kept?.pausedAt !== undefined && kept.pausedAt <= nominalAt;
    const why = paused
      ? ({ outcome: 'skipped', code: 'paused', reason: 'the schedule was paused' } as const)
      : running !== null && definition.overlap !== 'join'
        ? ({ outcome: 'skipped', code: 'running', reason: `the firing of ${running.key} was still under way` } as const)
        : ({ outcome: 'missed', code: 'late', reason: lateReason(definition) } as const);
    noted.push({ key: firingKey(nominalAt, keyed, zone), nominalAt, ...why });
  }
  if (calendars !== null) noted.push(...skippedNotes(definition, calendars, from, upTo));
  const fresh = await firings.note(schedule, noted);
  await firings.mark(schedule, { watchedTo: upTo });
  return fresh;
}

/** The times in (from, to] (ms) that the clocks skipped, as missed firings. */
export function skippedNotes(
  { zone, keyed }: ScheduleDefinition,
  calendars: readonly CalendarTimes[],
  from: number,
  to: number,
): NotedFiring[] {
  if (keyed === 'utc') return [];
  return changedTimes({ calendars, zone, keyed, from, to }).flatMap(({ kind, key, local, at }) =>
    kind === 'repeated'
      ? []
      : [
          {
            key,
            nominalAt: at,
            outcome: 'missed' as const,
            code: 'no-such-time',
            reason: `${local} does not exist in ${zone}: the clocks go forward over it`,
          },
        ],
  );
}

/**
 * A schedule that was unpaused in the Web UI is no longer paused for us either; firings that the pause prevented are
 * recorded as such.
 */
async function noticeResumed(deps: FiringDeps, definition: ScheduleDefinition, nominalAt: number): Promise<void> {
  const { schedule } = definition;
  const { firings } = deps.ledger;
  const pausedAt = (await firings.schedule(schedule))?.pausedAt ?? null;
  if (pausedAt === null || pausedAt > nominalAt || (await deps.schedules.paused(schedule)) !== false) return;
  await noteGaps(deps, definition, nominalAt - 1);
  await firings.mark(schedule, { pausedAt: null, resumedAt: nominalAt });
}

/** Ends firings whose workflow was terminated, or is gone with Temporal's database: nothing else would end them. */
export async function settleAbandoned(deps: Pick<FiringDeps, 'ledger' | 'schedules'>, schedule: string): Promise<void> {
  const { firings } = deps.ledger;
  for (const { id, outcome, workflowId, run } of await firings.list(schedule, 50)) {
    if (outcome !== 'open' || workflowId === null || (await deps.schedules.isRunning(workflowId))) continue;
    const reason = `its workflow was ended in Temporal${run === null ? '' : '; its run is separate'}`;
    await firings.end(id, { outcome: 'stopped', code: 'terminated', reason });
  }
}

function lateReason({ lateMs }: ScheduleDefinition): string {
  const minutes = Math.round(lateMs / 60_000);
  const limit = lateMs < 60_000 ? `${Math.round(lateMs / 1_000)} s` : `${minutes} min`;
  return `nothing could fire within ${limit} of its time, or a newer one was due (Temporal or the workers were down)`;
}

function opened(firing: Firing): OpenedFiring {
  const { id, key, nominalAt } = firing;
  return { due: true, firing: id, key, nominalAt, outcome: 'open', reason: null };
}

function ended(firing: Firing): OpenedFiring {
  const { id, key, nominalAt, outcome, reason } = firing;
  return { due: false, firing: id, key, nominalAt, outcome, reason };
}
