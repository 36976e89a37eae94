import { type Clock, type DateFormat, parseDateFormat, readByFormat, readTimeOfDay } from '../../times/date-format';
import { instantsOfLocal, isTimeZone } from '../../times/local-time';
import { type ProblemList } from '../../problems/problems';
import { type Cell } from '../../raw-row';
import { showValue } from '../../text';
import { timeFaults } from '../../times/time-faults';
import { daysText, timeHint } from '../../times/time-hints';
import { zoneRule } from '../../times/zone-hints';

/** A `publish_at` may be this much in the past (ms): a sheet takes a moment to be saved and submitted. */
export const PAST_GRACE_MS = 5 * 60_000;
const FAR_MS = 366 * 86_400_000;
/** In the ledger, the end of the year 9999 marks rows that are never sent on their own. */
const NEVER_MS = Date.UTC(9000, 0, 1);

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})/;
const ISO_TIME = /^(?:[Tt] *| +)(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?![\d:])(?! *[AaPp]\.?[Mm])/;
const ZONE = /^ *(Z|z|[+-]\d{2}(?::?\d{2})?)?(?:\[([^\]]+)\])?$/;

/** How times without an offset, and those not in ISO 8601, are read. */
export interface TimeReading {
  timezone: string | undefined;
  dateFormat: string | undefined;
}

/** A moment in ms since the epoch, or null after a reported problem. */
export function parsePublishAt(cell: Cell, reading: TimeReading, problems: ProblemList): number | null {
  const text = cell.text.trim();
  const shared = cell.level !== 'row';
  const refuse = (message: string, hint?: string): null => {
    const more = hint === undefined ? {} : { hint };
    problems.add({ code: 'bad-time', at: cell.at, value: text, shared, message, ...more });
    return null;
  };
  const found = readClock(text, reading.dateFormat);
  if (found === undefined) {
    const named = timeFaults(text, reading.dateFormat, () => timeHint(text, undefined));
    if (named.length === 0) return refuse(explainBadTime(text), timeHint(text, reading.dateFormat));
    return refuse(...explained(text, named));
  }
  const local = localMs(found.clock);
  const { offset, zone: own } = found;
  const tooFar = offset !== undefined && Math.abs(offsetMs(offset)) > 18 * 3_600_000;
  // “18:00-19:00” looks like a time with an offset.
  const range = tooFar
    ? timeFaults(text.replace(/-(?=\d{1,2}:?\d{2}$)/, ' - '), reading.dateFormat, () => undefined)
    : [];
  if (range.length > 0) return refuse(...explained(text, range));
  if (local === undefined || tooFar) {
    const { dateFormat } = reading;
    const { year, month } = found.clock;
    const days = month >= 1 && month <= 12 ? `${daysText(year, month)}.` : '';
    const swapped =
      dateFormat === undefined
        ? ''
        : `By the date_format ${showValue(dateFormat)}: are day and month the other way round?`;
    const hint = local === undefined && days !== '' ? [days, swapped].filter((part) => part !== '').join(' ') : swapped;
    return refuse(`“${showValue(text)}” isn’t a time the calendar has.`, hint === '' ? undefined : hint);
  }
  if (own !== undefined && !isTimeZone(own))
    return refuse(`The zone “${showValue(own)}” is not known.`, `It ${zoneRule(own)}.`);
  const zone = own ?? reading.timezone;
  if (offset !== undefined) return local - offsetMs(offset);
  if (zone === undefined) {
    const message = `“${showValue(text)}” has no offset, and the manifest has no timezone.`;
    problems.add({ code: 'time-zone-missing', at: cell.at, value: text, shared, message });
    return null;
  }
  return inZone({ cell, text, zone, local, problems });
}

const formats = new Map<string, DateFormat | undefined>();

function readClock(
  text: string,
  dateFormat: string | undefined,
): { clock: Clock; offset: string | undefined; zone: string | undefined } | undefined {
  const found =
    dateFormat === undefined
      ? (readIso(text) ?? readSameDay(text))
      : (readFormatted(text, dateFormat) ?? readIso(text));
  const zone = found === undefined ? null : ZONE.exec(found.rest);
  if (found === undefined || zone === null) return undefined;
  return { clock: found.clock, offset: zone[1], zone: zone[2] };
}

/** A day and a month with the same number: whichever comes first, it is the same day. */
const SAME_DAY = /^(0?[1-9]|1[0-2])([/.-])\1\2\d{4}(?!\d)/;

function readSameDay(text: string): { clock: Clock; rest: string } | undefined {
  const [, , separator] = SAME_DAY.exec(text) ?? [];
  return separator === undefined ? undefined : readFormatted(text, ['DD', 'MM', 'YYYY'].join(separator));
}

function readFormatted(text: string, dateFormat: string): { clock: Clock; rest: string } | undefined {
  if (!formats.has(dateFormat)) formats.set(dateFormat, parseDateFormat(dateFormat));
  const format = formats.get(dateFormat);
  const read = format === undefined ? undefined : readByFormat(text, format);
  return format === undefined || read === undefined || format.timed ? read : withTime(read);
}

function readIso(text: string): { clock: Clock; rest: string } | undefined {
  const date = ISO_DATE.exec(text);
  if (date === null) return undefined;
  const [year = 0, month = 0, day = 0] = date.slice(1).map(Number);
  const rest = text.slice(date[0].length);
  const clock = { year, month, day, hour: 0, minute: 0, second: 0, ms: 0 };
  const time = ISO_TIME.exec(rest);
  // “2026-06-08 6:00 PM” isn't ambiguous either.
  if (time === null) return withTime({ clock, rest });
  const [hour = 0, minute = 0, second = 0] = time.slice(1, 4).map((part: string | undefined) => Number(part ?? 0));
  const ms = Number((time[4] ?? '0').padEnd(3, '0').slice(0, 3));
  return { clock: { ...clock, hour, minute, second, ms }, rest: rest.slice(time[0].length) };
}

function withTime(date: { clock: Clock; rest: string }): { clock: Clock; rest: string } | undefined {
  const time = /^(T|,? +)/i.test(date.rest) ? readTimeOfDay(date.rest.replace(/^(T|,)/i, '')) : undefined;
  return time === undefined ? undefined : { clock: { ...date.clock, ...time.time }, rest: time.rest };
}

function inZone(input: {
  cell: Cell;
  text: string;
  zone: string;
  local: number;
  problems: ProblemList;
}): number | null {
  const { cell, text, zone, local, problems } = input;
  const shared = cell.level !== 'row';
  const found = instantsOfLocal(zone, local);
  if (found.kind === 'one') return found.ms;
  if (found.kind === 'none') {
    const message = `${showValue(text)} doesn’t exist in ${zone}: the clocks skip it.`;
    problems.add({ code: 'time-not-real', at: cell.at, value: text, shared, message });
    return null;
  }
  const [first, second] = found.offsets;
  problems.add({
    code: 'time-twice',
    at: cell.at,
    value: text,
    shared,
    message: `${showValue(text)} comes twice in ${zone}: once at ${first} and once at ${second}.`,
    hint: `Write it with the offset you mean: ${first} or ${second}.`,
  });
  return null;
}

/** The local time as if it were UTC, in ms; undefined for an impossible date or time. */
function localMs({ year, month, day, hour, minute, second, ms }: Clock): number | undefined {
  if (hour > 23 || minute > 59 || second > 59 || year < 1970 || month < 1) return undefined;
  const local = Date.UTC(year, month - 1, day, hour, minute, second, ms);
  const back = new Date(local);
  return back.getUTCMonth() === month - 1 && back.getUTCDate() === day ? local : undefined;
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const digits = offset.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4) || '0');
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}

function explained(text: string, faults: ReturnType<typeof timeFaults>): [message: string, hint: string] {
  return [
    `“${showValue(text)}” has ${faults.map(({ has }) => has).join(' and ')}.`,
    faults.map(({ fix }) => fix).join(' '),
  ];
}

function explainBadTime(text: string): string {
  const shown = showValue(text);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return `“${shown}” is a date without a time of day.`;
  return `“${shown}” can’t be read as a time.`;
}

/** What a time means for its row at `now`: fine, past, or suspiciously far away. */
export function checkMoment(ms: number, now: number): 'fine' | 'past' | 'far' | 'never' {
  if (ms < now - PAST_GRACE_MS) return 'past';
  if (ms >= NEVER_MS) return 'never';
  return ms > now + FAR_MS ? 'far' : 'fine';
}
