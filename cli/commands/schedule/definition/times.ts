import { Temporal } from '@js-temporal/polyfill';
import { UsageError } from '../../../errors/errors';

/** A time given as a flag, in ms: with an offset, or local in the zone; for a date alone, its first or its last moment. */
export function timeFlag(flag: string, text: string, zone: string, day: 'begin' | 'end' = 'begin'): number {
  const trimmed = text.trim().replace(' ', 'T');
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) {
      const date = Temporal.PlainDate.from(trimmed).add({ days: day === 'begin' ? 0 : 1 });
      return date.toZonedDateTime(zone).epochMilliseconds - (day === 'begin' ? 0 : 1_000);
    }
    if (/(z|[+-]\d{2}:?\d{2})$/i.test(trimmed)) return Temporal.Instant.from(trimmed).epochMilliseconds;
    return Temporal.PlainDateTime.from(trimmed).toZonedDateTime(zone).epochMilliseconds;
  } catch {
    throw new UsageError(
      `${flag}: “${text}” is not a time`,
      'Write a date (2026-11-01), a local time (2026-11-01T09:00) or one with its offset (2026-11-01T09:00+01:00).',
    );
  }
}
