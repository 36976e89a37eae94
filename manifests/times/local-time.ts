import { Temporal } from '@js-temporal/polyfill';

/** The instants (ms since the epoch) at which clocks of a zone show a local time: none, one, or two. */
export type LocalInstants =
  { kind: 'one'; ms: number } | { kind: 'none' } | { kind: 'two'; ms: [number, number]; offsets: [string, string] };

/** A stretch of time over which a zone's offset stays the same. */
interface Steady {
  from: number;
  until: number;
  offsetMs: number;
}

const DAY = 86_400_000;
const steadyByZone = new Map<string, Steady[]>();

/** True for an IANA zone's name or an offset (`+02:00`). */
export function isTimeZone(zone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}

/** The offset of a zone at a moment (ms since the epoch), as `+02:00`. */
export function offsetAt(zone: string, at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offset;
}

/** Finds the instants of a local time. `localMs` is that time as if it were UTC, in ms. */
export function instantsOfLocal(zone: string, localMs: number): LocalInstants {
  const steady = steadyAround(zone, localMs);
  // Far from a change of offset nothing is ambiguous; this answers nearly every row of a large manifest.
  if (localMs - DAY >= steady.from && localMs + DAY < steady.until)
    return { kind: 'one', ms: localMs - steady.offsetMs };
  const local = Temporal.Instant.fromEpochMilliseconds(localMs).toZonedDateTimeISO('UTC').toPlainDateTime();
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.epochMilliseconds === later.epochMilliseconds) return { kind: 'one', ms: earlier.epochMilliseconds };
  if (!earlier.toPlainDateTime().equals(local)) return { kind: 'none' };
  return {
    kind: 'two',
    ms: [earlier.epochMilliseconds, later.epochMilliseconds],
    offsets: [earlier.offset, later.offset],
  };
}

function steadyAround(zone: string, ms: number): Steady {
  const known = steadyByZone.get(zone) ?? [];
  steadyByZone.set(zone, known);
  const found = known.find((one) => ms >= one.from && ms < one.until);
  if (found !== undefined) return found;
  const moment = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  const next = moment.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  // “previous” looks strictly before the moment itself; a change exactly at it must count.
  const before = moment.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity;
  const steady = { from: before, until: next, offsetMs: moment.offsetNanoseconds / 1e6 };
  known.push(steady);
  return steady;
}
