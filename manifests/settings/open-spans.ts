import { PaceValueError } from './pace-value-error';

/** Local hours on some days: ISO days (1 is Monday), minutes of the day; `until` at or before `from` ends on the next day. */
export interface OpenSpan {
  days: readonly number[];
  from: number;
  until: number;
}

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const DAY_WORDS: Readonly<Record<string, string>> = { weekdays: 'mon-fri', weekends: 'sat-sun', daily: 'mon-sun' };
const WRONG = 'must be such as 09:00-21:00, Mon-Fri 9-17 or weekdays, or a list of those';

/** Reads `Mon-Fri 09:00-21:00`, `Sat,Sun 10-18`, `22:00-02:00` or `weekdays` (all day), alone, as a list, or with `;` between them. */
export function readSpans(value: unknown): OpenSpan[] {
  const texts = Array.isArray(value) ? (value as unknown[]) : typeof value === 'string' ? value.split(';') : [];
  if (texts.length === 0) throw new PaceValueError(WRONG);
  return texts.map(readSpan);
}

function readSpan(text: unknown): OpenSpan {
  const found =
    typeof text === 'string'
      ? (/^\s*(?:([a-z][a-z,\s-]*)(?<=\s))?(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?\s*$/i.exec(text) ??
        /^\s*([a-z][a-z,\s-]*)$/i.exec(text))
      : null;
  if (found === null) throw new PaceValueError(WRONG);
  const [, days, ...times] = found;
  // “9-21” alone could be days of the month.
  if (days === undefined && times[1] === undefined && times[3] === undefined) throw new PaceValueError(WRONG);
  const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = times.map((time: string | undefined) =>
    Number(time ?? 0),
  );
  const from = fromHour * 60 + fromMinute;
  const until = untilHour * 60 + untilMinute;
  const valid = fromMinute < 60 && untilMinute < 60 && from < 1440 && until <= 1440;
  if (!valid) throw new PaceValueError(WRONG);
  // 00:00 as an end is the end of the day.
  return { days: days === undefined ? EVERY_DAY : readDays(days), from, until: until === 0 ? 1440 : until };
}

function readDays(text: string): number[] {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const word = part.trim().toLowerCase();
    const [first, last, ...more] = (Object.hasOwn(DAY_WORDS, word) ? (DAY_WORDS[word] ?? '') : part)
      .split('-')
      .map((name) => DAYS.indexOf(name.trim().toLowerCase().slice(0, 3)) + 1);
    if (!first || last === 0 || more.length > 0) throw new PaceValueError(WRONG);
    for (let day = first; ; day = (day % 7) + 1) {
      found.add(day);
      if (day === (last ?? first)) break;
    }
  }
  return [...found].sort((a, b) => a - b);
}
