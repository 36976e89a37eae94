/** A local time without a zone. */
export interface Clock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
}

/** A parsed date format of a sheet. Without tokens for the time of day, that follows as `18:00` or `6:00 PM`. */
export interface DateFormat {
  pattern: RegExp;
  parts: readonly Part[];
  /** Includes the time of day. */
  timed: boolean;
}

type Part = 'year' | 'year2' | 'month' | 'monthName' | 'day' | 'hour' | 'minute' | 'second' | 'half';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const PATTERNS: Readonly<Record<Part, string>> = {
  year: '(\\d{4})',
  year2: '(\\d{2})',
  month: '(\\d{1,2})',
  monthName: '([A-Za-z]{3,9})\\.?',
  day: '(\\d{1,2})',
  hour: '(\\d{1,2})',
  minute: '(\\d{2})',
  second: '(\\d{2})',
  half: '([AaPp])\\.?[Mm]\\.?',
};

const TOKEN = /y+|m+|d+|h+|s+|am\/pm|a|tt|\s+|./giu;

/**
 * Parses a format such as `MM/DD/YYYY h:mm A` or `dd.mm.yyyy`: y, d, h, s and A (AM or PM) in any case; `m` is the
 * month before an hour token and the minute after it. Undefined unless day, month and year each occur exactly once.
 */
export function parseDateFormat(text: string): DateFormat | undefined {
  const parts: Part[] = [];
  let pattern = '';
  for (const [token] of text.trim().matchAll(TOKEN)) {
    const part = partOf(token, parts.includes('hour'));
    if (part === null) return undefined;
    if (part !== undefined) parts.push(part);
    pattern += part === undefined ? literal(token) : PATTERNS[part];
  }
  const has = (...of: Part[]): number => parts.filter((part) => of.includes(part)).length;
  const timed = has('hour') > 0;
  const dated = has('year', 'year2') === 1 && has('month', 'monthName') === 1 && has('day') === 1;
  const clock = timed
    ? has('hour') === 1 && has('minute') === 1 && has('second') <= 1 && has('half') <= 1
    : has('minute', 'second', 'half') === 0;
  return dated && clock ? { pattern: new RegExp(`^${pattern}`, 'u'), parts, timed } : undefined;
}

function literal(character: string): string {
  return /\s/.test(character) ? '\\s+' : character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The part that a token stands for; undefined for text between, null for an unusable token. */
function partOf(token: string, afterHour: boolean): Part | undefined | null {
  const letter = token[0]?.toLowerCase() ?? '';
  const { length } = token;
  if (letter === 'y') return length === 4 ? 'year' : length === 2 ? 'year2' : null;
  if (letter === 'm' && afterHour) return length <= 2 ? 'minute' : null;
  if (letter === 'm') return length <= 2 ? 'month' : length <= 4 ? 'monthName' : null;
  if (letter === 'd') return length <= 2 ? 'day' : null;
  if (letter === 'h') return length <= 2 ? 'hour' : null;
  if (letter === 's') return length <= 2 ? 'second' : null;
  if (/^(a|tt|am\/pm)$/i.test(token)) return 'half';
  // “T” between date and time, and all that isn't a letter.
  return /^(T|\s+|[^\p{L}\d])$/u.test(token) ? undefined : null;
}

/**
 * Reads the start of the text by the format; `rest` is what follows. Undefined if it doesn't match, or there is no such
 * time.
 */
export function readByFormat(text: string, format: DateFormat): { clock: Clock; rest: string } | undefined {
  const match = format.pattern.exec(text);
  if (match === null) return undefined;
  const found = new Map(format.parts.map((part, index) => [part, match[index + 1] ?? '']));
  const number = (part: Part): number => Number(found.get(part) ?? 0);
  const name = found.get('monthName')?.slice(0, 3).toLowerCase();
  const hour = hourOf(number('hour'), found.get('half'));
  if (hour === undefined) return undefined;
  const clock = {
    year: found.has('year') ? number('year') : 2000 + number('year2'),
    month: name === undefined ? number('month') : MONTHS.indexOf(name) + 1,
    day: number('day'),
    hour,
    minute: number('minute'),
    second: number('second'),
    ms: 0,
  };
  return { clock, rest: text.slice(match[0].length) };
}

const TIME_OF_DAY = /^\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([AaPp])\.?[Mm]\.?)?(?![\d.:])/;

/** Reads `18:00`, `18:00:30` or `6:00 PM` at the start of the text. */
export function readTimeOfDay(
  text: string,
): { time: Pick<Clock, 'hour' | 'minute' | 'second'>; rest: string } | undefined {
  const match = TIME_OF_DAY.exec(text);
  const hour = match === null ? undefined : hourOf(Number(match[1]), match[4]);
  if (match === null || hour === undefined) return undefined;
  const time = { hour, minute: Number(match[2]), second: Number(match[3] ?? 0) };
  return { time, rest: text.slice(match[0].length) };
}

/** `half` is the first letter of AM or PM. */
function hourOf(written: number, half: string | undefined): number | undefined {
  if (half === undefined) return written;
  if (written < 1 || written > 12) return undefined;
  return (written % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}
