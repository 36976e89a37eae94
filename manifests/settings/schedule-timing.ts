import { parseDuration } from '../../wording/duration';
import { showValue } from '../text';

/** When a schedule fires: one of the three. */
export interface ScheduleTiming {
  /** Five fields, or a macro such as `@daily`. */
  cron?: string;
  /** An interval from the epoch on, such as `6h`. */
  every?: string;
  /** With `every`: shifts it, such as `30m`. */
  offset?: string;
  /** Days and times: `09:00`, `mon-fri 09:00,17:30`, `1,15 08:00`. */
  at?: string;
}

export interface TimingFault {
  message: string;
  hint: string;
}

/** One time on some days, in the zone of the schedule. Weekdays from 0, Sunday; null: every day. */
export interface CalendarTime {
  hour: number;
  minute: number;
  daysOfWeek: number[] | null;
  daysOfMonth: number[] | null;
}

export type ParsedTiming =
  | { kind: 'cron'; cron: string }
  | { kind: 'every'; everyMs: number; offsetMs: number }
  | { kind: 'at'; calendars: CalendarTime[] };

/** Parses a timing, or returns what is wrong with it. */
export function parseTiming(timing: ScheduleTiming): ParsedTiming | TimingFault {
  const { cron, every, offset, at } = timing;
  const given = [cron, every, at].filter((text) => text !== undefined);
  if (given.length !== 1) {
    return {
      message:
        given.length === 0 ? 'it sets none of cron, every and at' : 'it sets more than one of cron, every and at',
      hint: 'Give one of cron (`0 9 * * 1`), every (`6h`) or at (`mon-fri 09:00`).',
    };
  }
  if (every === undefined && offset !== undefined)
    return { message: 'offset belongs to every', hint: 'Remove offset, or give every.' };
  if (every !== undefined) return parseEvery(every, offset);
  if (cron !== undefined) return checkCron(cron) ?? { kind: 'cron', cron: withSundays(cron.trim()) };
  return parseAt(at ?? '');
}

export function isTimingFault(timing: ParsedTiming | TimingFault): timing is TimingFault {
  return 'message' in timing;
}

/** For people: as it was given. */
export function timingText({ cron, every, offset, at }: ScheduleTiming): string {
  if (cron !== undefined) return `cron ${cron}`;
  if (every !== undefined) return `every ${every}${offset === undefined ? '' : ` + ${offset}`}`;
  return `at ${at ?? ''}`;
}

function parseEvery(every: string, offset: string | undefined): ParsedTiming | TimingFault {
  const everyMs = parseDuration(every);
  const hint = 'Write a whole number of seconds or more, such as 30m, 6h or 1d.';
  if (everyMs === undefined || everyMs < 1_000 || everyMs % 1_000 !== 0)
    return { message: `every: “${showValue(every)}” isn’t an interval`, hint };
  const offsetMs = offset === undefined ? 0 : parseDuration(offset);
  if (offsetMs === undefined || offsetMs >= everyMs)
    return { message: `offset: “${showValue(offset ?? '')}” isn’t a duration shorter than every`, hint };
  return { kind: 'every', everyMs, offsetMs };
}

const NAMED = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

const UNSUPPORTED: Readonly<Record<string, string>> = {
  '?': 'Write * instead.',
  L: 'There is no “last day”: fire on the 1st instead, or give the days themselves.',
  W: 'There is no “nearest weekday”: give the days themselves.',
  '#': 'There is no “nth weekday”: give weekday and days of the month that it falls on (`0 9 1-7 * 1` is the first Monday).',
  H: 'There are no hashed times: give the number itself.',
};

/** What is wrong with a cron expression by Temporal's rules; undefined if nothing is found. The server checks ranges. */
function checkCron(text: string): TimingFault | undefined {
  const cron = text.trim();
  const shown = showValue(cron);
  if (/^(CRON_TZ|TZ)=/i.test(cron))
    return { message: `cron: “${shown}” names its zone itself`, hint: 'Give the zone as timezone.' };
  if (/^@every\b/i.test(cron))
    return { message: `cron: “${shown}” is an interval`, hint: `Give it as every: ${cron.slice(7).trim() || '6h'}.` };
  if (cron.startsWith('@')) {
    if (NAMED.includes(cron.toLowerCase())) return undefined;
    return { message: `cron: “${shown}” is not known`, hint: `One of ${NAMED.join(', ')}, or five fields.` };
  }
  const fields = cron.split(/\s+/);
  if (fields.length === 6 || fields.length === 7) {
    return {
      message: `cron: “${shown}” has ${fields.length} fields; many tools take the first as seconds, Temporal the last as a year`,
      hint: `Give five fields: minute, hour, day of the month, month, weekday${fields[0] === '0' ? ` (\`${fields.slice(1, 6).join(' ')}\`)` : ''}.`,
    };
  }
  if (fields.length !== 5)
    return {
      message: `cron: “${shown}” has ${fields.length} fields instead of five`,
      hint: 'Give minute, hour, day of the month, month and weekday: `0 9 * * 1`.',
    };
  const names = cron
    .toUpperCase()
    .replace(/\b(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*|\b(SUN|MON|TUE|WED|THU|FRI|SAT)[A-Z]*/g, '0');
  const bad = /[^\d\s*,/-]/.exec(names)?.[0];
  if (bad === undefined) return undefined;
  return {
    message: `cron: “${shown}” has “${bad}”, which Temporal doesn’t know`,
    hint: UNSUPPORTED[bad] ?? 'Use digits, names, * , - and /.',
  };
}

/**
 * Temporal reads 7 as Sunday only if it is alone: in `1-7` it would be lost. The days of such a range are written
 * individually.
 */
function withSundays(cron: string): string {
  const fields = cron.split(/\s+/);
  const weekdays = fields[4];
  if (fields.length !== 5 || weekdays === undefined) return cron;
  const parts = weekdays.split(',').map((part) => {
    const range = /^([0-6]|sun|mon|tue|wed|thu|fri|sat)[a-z]*-(?:7|sun[a-z]*)(?:\/([1-9]\d?))?$/i.exec(part);
    const [, first = '', step = '1'] = range ?? [];
    if (range === null) return part;
    const from = /^\d$/.test(first) ? Number(first) : DAYS.indexOf(first.toLowerCase());
    const days = Array.from({ length: 8 - from }, (_, index) => index).filter((index) => index % Number(step) === 0);
    return [...new Set(days.map((index) => (from + index) % 7))].join(',');
  });
  return [...fields.slice(0, 4), parts.join(',')].join(' ');
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function parseAt(text: string): ParsedTiming | TimingFault {
  const words = text.trim().toLowerCase().split(/\s+/);
  const times = (words.at(-1) ?? '').split(',').map((time) => /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time));
  const days = words.length === 2 ? parseDays(words[0] ?? '') : words.length === 1 ? EVERY_DAY : undefined;
  const read = times.flatMap((time) => (time === null ? [] : [{ hour: Number(time[1]), minute: Number(time[2]) }]));
  if (days === undefined || read.length !== times.length)
    return {
      message: `at: “${showValue(text)}” isn’t a time of a calendar`,
      hint: 'Write times, with days before them unless all are meant: `09:00`, `mon-fri 09:00,17:30`, `1,15 08:00`.',
    };
  return { kind: 'at', calendars: read.map((time) => ({ ...time, ...days })) };
}

type Days = Pick<CalendarTime, 'daysOfWeek' | 'daysOfMonth'>;

const EVERY_DAY: Days = { daysOfWeek: null, daysOfMonth: null };

function parseDays(word: string): Days | undefined {
  if (word === 'daily') return EVERY_DAY;
  if (word === 'weekdays') return { daysOfWeek: [1, 2, 3, 4, 5], daysOfMonth: null };
  if (word === 'weekends') return { daysOfWeek: [0, 6], daysOfMonth: null };
  const found = new Set<number>();
  const monthly = /^\d/.test(word);
  for (const part of word.split(',')) {
    const [first = '', last = first, more] = part.split('-');
    const from = monthly ? dayOfMonth(first) : DAYS.indexOf(first.slice(0, 3));
    const to = monthly ? dayOfMonth(last) : DAYS.indexOf(last.slice(0, 3));
    const named = monthly || (/^[a-z]{3,9}$/.test(first) && /^[a-z]{3,9}$/.test(last));
    if (from < 0 || to < 0 || more !== undefined || !named || (monthly && to < from)) return undefined;
    for (let day = from; ; day = monthly ? day + 1 : (day + 1) % 7) {
      found.add(day);
      if (day === to) break;
    }
  }
  const days = [...found].sort((a, b) => a - b);
  return monthly ? { daysOfWeek: null, daysOfMonth: days } : { daysOfWeek: days, daysOfMonth: null };
}

function dayOfMonth(text: string): number {
  return /^([1-9]|[12]\d|3[01])(st|nd|rd|th)?$/.test(text) ? Number.parseInt(text, 10) : -1;
}
