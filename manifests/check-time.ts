import { instantsOfLocal, isTimeZone } from './local-time';
import { type ProblemList } from './problems';
import { type Cell } from './raw-row';
import { showValue } from './text';

/** A `publish_at` may be this much in the past (ms): a sheet takes a moment to be saved and submitted. */
export const PAST_GRACE_MS = 5 * 60_000;
const FAR_MS = 366 * 86_400_000;

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ] *(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? *(Z|z|[+-]\d{2}(?::?\d{2})?)?(?:\[([^\]]+)\])?$/;

/** A moment in ms since the epoch, or undefined after a problem was told. */
export function parsePublishAt(cell: Cell, timezone: string | undefined, problems: ProblemList): number | undefined {
  const text = cell.text.trim();
  const shared = cell.level !== 'row';
  const parts = TIME.exec(text);
  const local = parts === null ? undefined : localMs(parts);
  if (parts === null || local === undefined) {
    problems.add({ code: 'bad-time', at: cell.at, value: text, shared, ...explainBadTime(text, parts !== null) });
    return undefined;
  }
  const offset = parts[8];
  const zone = parts[9] ?? timezone;
  if (parts[9] !== undefined && !isTimeZone(parts[9])) {
    problems.add({
      code: 'bad-time',
      at: cell.at,
      value: text,
      shared,
      message: `The zone “${showValue(parts[9])}” isn’t known.`,
    });
    return undefined;
  }
  if (offset !== undefined) return local - offsetMs(offset);
  if (zone === undefined) {
    const message = `“${showValue(text)}” has neither an offset nor a timezone: it could mean any of 38 moments.`;
    problems.add({ code: 'time-zone-missing', at: cell.at, value: text, shared, message });
    return undefined;
  }
  return inZone({ cell, text, zone, local, problems });
}

function inZone(input: {
  cell: Cell;
  text: string;
  zone: string;
  local: number;
  problems: ProblemList;
}): number | undefined {
  const { cell, text, zone, local, problems } = input;
  const shared = cell.level !== 'row';
  const found = instantsOfLocal(zone, local);
  if (found.kind === 'one') return found.ms;
  if (found.kind === 'none') {
    const message = `${showValue(text)} doesn’t exist in ${zone}: the clocks are put forward over it.`;
    problems.add({ code: 'time-not-real', at: cell.at, value: text, shared, message });
    return undefined;
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
  return undefined;
}

/** The wall clock as if it were UTC, in ms; undefined for a date or time that no calendar has. */
function localMs(parts: RegExpExecArray): number | undefined {
  const [year, month, day, hour, minute, second] = parts
    .slice(1, 7)
    .map((part) => Number((part as string | undefined) ?? 0));
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined)
    return undefined;
  if (hour > 23 || minute > 59 || (second ?? 0) > 59) return undefined;
  const offset = parts[8];
  if (offset !== undefined && Math.abs(offsetMs(offset)) > 18 * 3_600_000) return undefined;
  const ms = Date.UTC(
    year,
    month - 1,
    day,
    hour,
    minute,
    second ?? 0,
    Number((parts[7] ?? '0').padEnd(3, '0').slice(0, 3)),
  );
  const back = new Date(ms);
  return year >= 1970 && back.getUTCMonth() === month - 1 && back.getUTCDate() === day ? ms : undefined;
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const digits = offset.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4) || '0');
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}

function explainBadTime(text: string, wellFormed: boolean): { message: string } {
  const shown = showValue(text);
  if (wellFormed) return { message: `“${shown}” isn’t a time the calendar has.` };
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return { message: `“${shown}” is a date without a time of day.` };
  return { message: `“${shown}” can’t be read as a time.` };
}

/** What a moment means for its row at `now`: fine, past, or suspiciously far. */
export function judgeMoment(ms: number, now: number): 'fine' | 'past' | 'far' {
  if (ms < now - PAST_GRACE_MS) return 'past';
  return ms > now + FAR_MS ? 'far' : 'fine';
}
