import { type FiringKeys } from '../../../../activities/schedules/contract';
import { type CalendarTimes } from '../../../../activities/schedules/schedule-server';
import { changedTimes } from '../../../../activities/schedules/skipped-times';
import { type ParsedTiming } from '../../../../manifests/settings/schedule-timing';
import { type ServerView } from './preview';

const YEAR_MS = 366 * 86_400_000;
const DAY_MS = 86_400_000;

/** Surprising consequences of a schedule, each as a sentence. */
export function timingWarnings(input: {
  parsed: ParsedTiming;
  view: ServerView;
  zone: string;
  keyed: FiringKeys;
  now: number;
}): string[] {
  const { parsed, view, zone, keyed, now } = input;
  const warnings: string[] = [];
  if (parsed.kind === 'every') warnings.push(...intervalWarnings(parsed.everyMs));
  if (view.calendars.some((calendar) => !everyDayOfMonth(calendar) && !everyWeekday(calendar))) {
    warnings.push(
      'Day of the month and weekday are both given: it fires only on days that match both, unlike classic cron, where either is enough.',
    );
  }
  const rare = view.calendars.flatMap((calendar) =>
    everyDayOfMonth(calendar) || calendar.daysOfMonth.some((day) => day < 29) ? [] : calendar.daysOfMonth,
  );
  const [first] = rare;
  if (first !== undefined) warnings.push(`Not every month has a day ${first}: those months have no firing.`);
  if (keyed !== 'utc') {
    const changes = changedTimes({ calendars: view.calendars, zone, keyed, from: now, to: now + YEAR_MS });
    for (const { local, kind } of changes.slice(0, 6)) {
      warnings.push(
        kind === 'skipped'
          ? `${local} does not exist in ${zone} (the clocks go forward): nothing fires then, and it is listed as missed.`
          : `${local} comes twice in ${zone} (the clocks go back): it fires the first time only.`,
      );
    }
  }
  if (view.next.length === 0) warnings.push('It never fires: no time in the future matches.');
  return warnings;
}

function intervalWarnings(everyMs: number): string[] {
  if (everyMs % DAY_MS === 0) {
    return [
      'An interval of whole days stays at the same UTC time: in local time it shifts with daylight saving. For a time of day use at.',
    ];
  }
  if (everyMs < DAY_MS && DAY_MS % everyMs === 0) return [];
  return ['The interval does not divide a day: its times of day change from day to day.'];
}

function everyDayOfMonth({ daysOfMonth }: CalendarTimes): boolean {
  return daysOfMonth.length === 31;
}

function everyWeekday({ daysOfWeek }: CalendarTimes): boolean {
  return daysOfWeek.length === 7;
}
