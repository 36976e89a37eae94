import { Temporal } from '@js-temporal/polyfill';
import { type FiringKeys } from './contract';
import { type CalendarTimes } from './schedule-server';

/** The key of a firing by its nominal time (ms): it may happen only once per key. */
export function firingKey(nominalAt: number, keyed: FiringKeys, zone: string): string {
  if (keyed === 'utc') return `${new Date(nominalAt).toISOString().slice(0, 19)}Z`;
  const local = localTime(nominalAt, zone);
  return keyed === 'date' ? local.toPlainDate().toString() : timeKey(local);
}

export function timeKey(local: Temporal.PlainDateTime): string {
  return local.toString({ smallestUnit: local.second === 0 ? 'minute' : 'second' });
}

function localTime(at: number, zone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime();
}

/**
 * How the firings of a spec are identified. A calendar with fixed hours uses local times, so that a repeated hour can't
 * fire twice; one that fires every hour, and intervals, use UTC.
 */
export function keysOf(calendars: readonly CalendarTimes[], intervals: number): FiringKeys {
  const everyHour = calendars.some(({ hours }) => hours.length === 24);
  if (intervals > 0 || everyHour || calendars.length === 0) return 'utc';
  const times = new Set(
    calendars.flatMap(({ hours, minutes, seconds }) =>
      hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((second) => `${hour}:${minute}:${second}`))),
    ),
  );
  return times.size === 1 ? 'date' : 'time';
}
