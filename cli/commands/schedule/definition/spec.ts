import { type ScheduleSpec, type ScheduleOverlapPolicy } from '@temporalio/client';
import { type ScheduleDefinition } from '../../../../activities/schedules/contract';
import { isTimingFault, parseTiming, type ScheduleTiming } from '../../../../manifests/settings/schedule-timing';
import { UsageError } from '../../../errors/errors';

const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** A timing in Temporal's format. @throws UsageError */
export function specOf(timing: ScheduleTiming, zone: string): ScheduleSpec {
  const parsed = parseTiming(timing);
  if (isTimingFault(parsed)) throw new UsageError(parsed.message, parsed.hint);
  switch (parsed.kind) {
    case 'cron':
      return { cronExpressions: [parsed.cron], timezone: zone };
    case 'every':
      return { intervals: [{ every: parsed.everyMs, offset: parsed.offsetMs }] };
    case 'at':
      return {
        timezone: zone,
        calendars: parsed.calendars.map(({ hour, minute, daysOfWeek, daysOfMonth }) => ({
          hour,
          minute,
          ...(daysOfWeek === null ? {} : { dayOfWeek: daysOfWeek.flatMap((day) => WEEKDAYS[day] ?? []) }),
          ...(daysOfMonth === null ? {} : { dayOfMonth: daysOfMonth }),
        })),
      };
  }
}

/** The server's policy for a firing while one runs; since a firing lasts as long as its run, it applies to the run. */
export const OVERLAPS: Readonly<Record<ScheduleDefinition['overlap'], ScheduleOverlapPolicy>> = {
  skip: 'SKIP',
  wait: 'BUFFER_ONE',
  join: 'ALLOW_ALL',
};

/** The server accepts no shorter one. */
const MIN_CATCHUP_MS = 10_000;

export function policiesOf({ overlap, lateMs }: ScheduleDefinition): {
  overlap: ScheduleOverlapPolicy;
  catchupWindow: number;
  pauseOnFailure: boolean;
} {
  // reelay pauses the schedule itself: it counts firings and knows the reason.
  return { overlap: OVERLAPS[overlap], catchupWindow: Math.max(lateMs, MIN_CATCHUP_MS), pauseOnFailure: false };
}
