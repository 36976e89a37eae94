import { Temporal } from '@js-temporal/polyfill';

/** Local hours in which a channel may send, on some days of the week. */
export interface OpenSpan {
  /** ISO: 1 is Monday, 7 Sunday. The day on which the span begins. */
  days: readonly number[];
  /** Minutes of the local day, 0 to 1439. */
  from: number;
  /** Minutes of the local day, 1 to 1440. If at or before `from`, the span ends on the next day. */
  until: number;
}

export interface OpenHours {
  /** IANA zone, or an offset such as `+02:00`. */
  zone: string;
  spans: readonly OpenSpan[];
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEEK = 7 * DAY;
/** 1970-01-05, a Monday, as if it were UTC. */
const A_MONDAY = 4 * DAY;
/** A zone changes its offset a few times a year at most; spans repeat weekly. */
const MAX_STEPS = 64;

/**
 * The first moment from `at` on (ms since the epoch) at which the zone's clock shows an allowed time. Exact over clock
 * changes: a skipped hour doesn't occur, a repeated one is open twice. Infinity if no span ever opens.
 */
export function nextOpening(hours: OpenHours, at: number): number {
  const spans = weekly(hours.spans);
  if (spans.length === 0) return Infinity;
  let from = at;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const steady = steadyAround(hours.zone, from);
    const wait = untilOpen(spans, from + steady.offsetMs);
    if (from + wait < steady.until) return from + wait;
    from = steady.until;
  }
  return Infinity;
}

/** ms until a weekly span opens, from a local time given as if it were UTC. */
function untilOpen(spans: readonly (readonly [number, number])[], localMs: number): number {
  const place = (((localMs - A_MONDAY) % WEEK) + WEEK) % WEEK;
  let soonest = Infinity;
  for (const [from, until] of spans) {
    if (place >= from && place < until) return 0;
    soonest = Math.min(soonest, from > place ? from - place : from + WEEK - place);
  }
  return soonest;
}

/** Spans as [from, until) in ms of the week that begins on Monday; one that passes the end of Sunday is split in two. */
function weekly(spans: readonly OpenSpan[]): [number, number][] {
  const found: [number, number][] = [];
  for (const { days, from, until } of spans) {
    for (const day of days) {
      const start = (day - 1) * DAY + from * MINUTE;
      const end = (day - 1) * DAY + until * MINUTE + (until <= from ? DAY : 0);
      found.push([start, Math.min(end, WEEK)]);
      if (end > WEEK) found.push([0, end - WEEK]);
    }
  }
  return found;
}

/** A stretch of time over which a zone's offset stays the same. */
interface Steady {
  from: number;
  until: number;
  offsetMs: number;
}

const steadyByZone = new Map<string, Steady[]>();

function steadyAround(zone: string, ms: number): Steady {
  const known = steadyByZone.get(zone) ?? [];
  steadyByZone.set(zone, known);
  const found = known.find((one) => ms >= one.from && ms < one.until);
  if (found !== undefined) return found;
  const moment = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(zone);
  const until = moment.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  // “previous” looks strictly before the moment; a change exactly at the moment must count.
  const from = moment.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity;
  const steady = { from, until, offsetMs: moment.offsetNanoseconds / 1e6 };
  known.push(steady);
  return steady;
}
