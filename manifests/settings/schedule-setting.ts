import { z } from 'zod';
import { parseDuration } from '../../wording/duration';
import { isTimeZone } from '../times/local-time';
import { zoneRule } from '../times/zone-hints';
import { isTimingFault, parseTiming, type ScheduleTiming } from './schedule-timing';

/** `schedule` of a manifest: when it fires, and how. */
export interface ScheduleSetting {
  /** @default the campaign's name */
  name?: string;
  timing: ScheduleTiming;
  /** @default the manifest's `timezone` */
  timezone?: string;
  overlap?: 'skip' | 'wait' | 'join';
  catchUpMs?: number;
  pauseAfter?: number;
  /** What happens to unsent rows that the manifest no longer has. */
  rowsGone?: 'refuse' | 'prune' | 'keep';
}

export const SCHEDULE_NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

const text = z.string('must be text').optional();

/** Messages complete the sentence “schedule.KEY …”. */
export const SCHEDULE_SCHEMA = z
  .strictObject(
    {
      name: z
        .string('must be text')
        .regex(SCHEDULE_NAME, 'must be 1 to 100 of a-z, 0-9, “.”, “_”, “-”, starting with a letter or digit')
        .optional()
        .describe('The schedule’s name. Default: the campaign’s.'),
      at: text.describe('Days and times: 09:00, mon-fri 09:00,17:30, 1,15 08:00.'),
      cron: text.describe('Five fields: 0 9 * * 1. Day of the month and weekday must both fit.'),
      every: text.describe('An interval, counted from the epoch in UTC: 6h.'),
      offset: text.describe('Shift of every, such as 30m.'),
      timezone: z
        .string('must be text')
        .refine(isTimeZone, { error: ({ input }) => zoneRule(input) })
        .optional()
        .describe('Zone of at and cron. Default: the manifest’s timezone.'),
      overlap: z
        .enum(['skip', 'wait', 'join'], 'must be skip, wait or join')
        .optional()
        .describe('What happens to a firing while the previous one is running: skip (default), wait or join.'),
      catch_up: z
        .string('must be a duration such as 1h or 30m')
        .refine((value) => parseDuration(value) !== undefined, 'must be a duration such as 1h or 30m')
        .optional()
        .describe('How late a firing may be after downtime. Default: 1h.'),
      pause_after: z
        .int('must be a whole number from 0')
        .min(0, 'must be a whole number from 0')
        .optional()
        .describe(
          'Number of consecutive refused or stopped firings after which the schedule pauses; 0: never. Default: 3.',
        ),
      rows_gone: z
        .enum(['refuse', 'prune', 'keep'], 'must be refuse, prune or keep')
        .optional()
        .describe(
          'What happens to unsent rows that are missing from the manifest: refuse, prune or keep. Default: refuse, or keep with a folder or a template.',
        ),
    },
    {
      error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'must be a mapping, such as {at: mon 09:00}'),
    },
  )
  .describe('Makes the campaign recurring: submit creates or updates this schedule and publishes nothing by itself.');

/** A checked `schedule`, or what is wrong with it: a sentence without its end. */
export function readScheduleSetting(value: unknown): ScheduleSetting | { fault: string; hint?: string } {
  const checked = SCHEDULE_SCHEMA.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    if (issue?.code === 'unrecognized_keys')
      return {
        fault: `schedule has no “${issue.keys[0] ?? ''}”`,
        hint: `It may have ${Object.keys(SCHEDULE_SCHEMA.shape).join(', ')}.`,
      };
    const path = ['schedule', ...(issue?.path ?? []).map(String)].join('.');
    return { fault: `${path} ${issue?.message ?? 'isn’t usable'}` };
  }
  const { name, at, cron, every, offset, timezone, overlap, catch_up, pause_after, rows_gone } = checked.data;
  const timing: ScheduleTiming = given({ at, cron, every, offset });
  const parsed = parseTiming(timing);
  if (isTimingFault(parsed)) return { fault: `schedule: ${parsed.message}`, hint: parsed.hint };
  const catchUpMs = catch_up === undefined ? undefined : parseDuration(catch_up);
  return {
    timing,
    ...given({ name, timezone, overlap, catchUpMs, pauseAfter: pause_after, rowsGone: rows_gone }),
  };
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
