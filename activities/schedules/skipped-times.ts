import { Temporal } from '@js-temporal/polyfill';
import { type FiringKeys } from './contract';
import { timeKey } from './firing-key';
import { type CalendarTimes } from './schedule-server';

/** A calendar time that a clock change makes impossible or repeats. */
export interface ChangedTime {
  key: string;
  /** `2027-03-28 02:30` */
  local: string;
  /** ms: the instant of the change, or the first of the two. */
  at: number;
  kind: 'skipped' | 'repeated';
}

const DAYS_AT_MOST = 800;

/** The calendars' times in (from, to] (ms) that fall into a clock change of the zone. */
export function changedTimes(input: {
  calendars: readonly CalendarTimes[];
  zone: string;
  keyed: FiringKeys;
  from: number;
  to: number;
}): ChangedTime[] {
  const { calendars, zone, keyed, from, to } = input;
  const found: ChangedTime[] = [];
  for (const change of changesOf(zone, from, to)) {
    const days = new Set([-1, 0, 1].map((hours) => change.add({ hours }).toPlainDate().toString()));
    for (const day of days) {
      const date = Temporal.PlainDate.from(day);
      for (const time of calendars.flatMap((calendar) => (matchesDay(calendar, date) ? timesOf(calendar) : []))) {
        const local = date.toPlainDateTime(time);
        const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
        const later = local.toZonedDateTime(zone, { disambiguation: 'later' });
        if (earlier.epochMilliseconds === later.epochMilliseconds) continue;
        const kind = earlier.toPlainDateTime().equals(local) ? 'repeated' : 'skipped';
        const at = kind === 'skipped' ? change.epochMilliseconds : earlier.epochMilliseconds;
        if (at <= from || at > to) continue;
        const key = keyed === 'date' ? day : timeKey(local);
        const shown = `${day} ${time.toString({ smallestUnit: 'minute' })}`;
        if (!found.some((other) => other.key === key && other.local === shown))
          found.push({ key, local: shown, at, kind });
      }
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

function changesOf(zone: string, from: number, to: number): Temporal.ZonedDateTime[] {
  const changes: Temporal.ZonedDateTime[] = [];
  const until = Math.min(to, from + DAYS_AT_MOST * 86_400_000);
  let at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone).getTimeZoneTransition('next');
  while (at !== null && at.epochMilliseconds <= until + 86_400_000) {
    changes.push(at);
    at = at.getTimeZoneTransition('next');
  }
  return changes;
}

function matchesDay({ daysOfMonth, months, daysOfWeek, years }: CalendarTimes, date: Temporal.PlainDate): boolean {
  return (
    daysOfMonth.includes(date.day) &&
    months.includes(date.month) &&
    daysOfWeek.includes(date.dayOfWeek % 7) &&
    (years.length === 0 || years.includes(date.year))
  );
}

function timesOf({ hours, minutes, seconds }: CalendarTimes): Temporal.PlainTime[] {
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => Temporal.PlainTime.from({ hour, minute, second }))),
  );
}
