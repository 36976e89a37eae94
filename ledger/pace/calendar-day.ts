import { Temporal } from '@js-temporal/polyfill';

interface Day {
  from: number;
  until: number;
}

/** The latest day that was looked up, by zone: slots are computed in the order of time. */
const lastDay = new Map<string, Day>();

/** The first moment (ms since the epoch) of the calendar day after the one that contains `ms` in a zone. */
export function nextDay(zone: string, ms: number): number {
  const known = lastDay.get(zone);
  if (known !== undefined && ms >= known.from && ms < known.until) return known.until;
  const start = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(zone).startOfDay();
  const day = { from: start.epochMilliseconds, until: start.add({ days: 1 }).startOfDay().epochMilliseconds };
  lastDay.set(zone, day);
  return day.until;
}
