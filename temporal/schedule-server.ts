import { type Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { type temporal } from '@temporalio/proto';
import { type ScheduleDefinition } from '../activities/schedules/contract';
import { type CalendarTimes, type CurrentSchedule, type ScheduleServer } from '../activities/schedules/schedule-server';
import { type Ledger } from '../ledger/ledger';
import { scheduleId } from '../workflows/ids';
import { startCampaignOf } from './campaigns';

const TIMES_AT_MOST = 1_000;
const HOUR = 3_600_000;
const LEAD_MS = 36 * HOUR;
const NOT_FOUND = 5;

/** What firings and commands query from Temporal about schedules. */
export function createScheduleServer(client: Client, ledger: Ledger): ScheduleServer {
  return {
    matchingTimes: (schedule, from, to) => matchingTimes(client, scheduleId(schedule), from, to),
    definition: (schedule) => unlessGone(() => definitionOf(client, scheduleId(schedule))),
    calendars: (schedule) => calendarsIn(client, scheduleId(schedule)),
    paused: (schedule) =>
      unlessGone(async () => (await client.schedule.getHandle(scheduleId(schedule)).describe()).state.paused),
    isRunning: (workflowId) => isRunning(client, workflowId),
    pause: async (schedule, note) => {
      await unlessGone(() => client.schedule.getHandle(scheduleId(schedule)).pause(note));
    },
    startCampaign: async ({ run, manifest, by }) => {
      await startCampaignOf(client, ledger, { run, manifest, startedBy: by });
    },
  };
}

/**
 * The times (ms) that match in (from, to], the newest 1,000. Queried in periods from the newest backwards, since an
 * answer has a size limit and an interval may be a second. With calendars, each period is read from well before it: the
 * server walks from match to match, and finds different times in a repeated hour if it starts within it.
 */
async function matchingTimes(client: Client, id: string, from: number, to: number): Promise<number[] | null> {
  const calendars = await calendarsIn(client, id);
  if (calendars === null) return null;
  const lead = calendars.length > 0 ? LEAD_MS : 0;
  let times: number[] = [];
  let stretch = lead > 0 ? LEAD_MS : HOUR;
  for (let end = to; end > from && times.length < TIMES_AT_MOST; stretch *= 4) {
    const start = Math.max(from, end - stretch);
    const found = await matchingIn(client, id, start - lead, end);
    if (found === null) return null;
    times = [...found.filter((time) => time > start), ...times];
    end = start;
  }
  return times.slice(-TIMES_AT_MOST);
}

function calendarsIn(client: Client, id: string): Promise<CalendarTimes[] | null> {
  return unlessGone(async () => calendarsOf((await client.schedule.getHandle(id).describe()).raw));
}

async function definitionOf(client: Client, id: string): Promise<CurrentSchedule> {
  const { action, info } = await client.schedule.getHandle(id).describe();
  const [{ definition }] = action.args as [{ definition: ScheduleDefinition }];
  const [next] = info.nextActionTimes;
  return { ...definition, ...(next === undefined ? {} : { nextAt: next.getTime() }) };
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function matchingIn(client: Client, id: string, from: number, to: number): Promise<number[] | null> {
  try {
    const { startTime } = await client.workflowService.listScheduleMatchingTimes({
      namespace: client.options.namespace,
      scheduleId: id,
      startTime: msToTs(from),
      endTime: msToTs(to),
    });
    return startTime.map(({ seconds, nanos }) => Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1e6));
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return null;
    throw error;
  }
}

/** The calendars as the server compiled them, whatever form they were given in. */
export function calendarsOf(raw: temporal.api.workflowservice.v1.IDescribeScheduleResponse): CalendarTimes[] {
  return (raw.schedule?.spec?.structuredCalendar ?? []).map((calendar) => ({
    seconds: numbersOf(calendar.second),
    minutes: numbersOf(calendar.minute),
    hours: numbersOf(calendar.hour),
    daysOfMonth: numbersOf(calendar.dayOfMonth),
    months: numbersOf(calendar.month),
    daysOfWeek: numbersOf(calendar.dayOfWeek),
    years: numbersOf(calendar.year),
  }));
}

function numbersOf(ranges: readonly temporal.api.schedule.v1.IRange[] | null | undefined): number[] {
  const numbers = new Set<number>();
  for (const { start, end, step } of ranges ?? []) {
    const first = start ?? 0;
    for (let number = first; number <= Math.max(end ?? 0, first); number += Math.max(step ?? 1, 1)) numbers.add(number);
  }
  return [...numbers].sort((a, b) => a - b);
}
