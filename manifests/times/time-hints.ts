import { parseDateFormat, readByFormat, readTimeOfDay, type Clock } from './date-format';
import { showValue } from '../text';

const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?=\D|$)/;
const SERIAL = /^[45]\d{4}([.,]\d+)?$/;

/** The hint for a time that can't be read, if something more specific than the general advice applies. */
export function timeHint(text: string, asked: string | undefined): string | undefined {
  if (SERIAL.test(text))
    return 'This looks like a spreadsheet’s own number for a date: format the column as text, or as a date, and export it again.';
  if (asked !== undefined)
    return `Write it as the date_format ${showValue(asked)} says, or as 2026-06-08T18:00:00+02:00.`;
  return readings(text);
}

/** All readings of `12/01/2026`, because it isn't known which is meant. */
function readings(text: string): string | undefined {
  const match = NUMBERS.exec(text);
  if (match === null) return undefined;
  const [, , separator = '/', , year = ''] = match;
  const end = year.length === 4 ? 'YYYY' : 'YY';
  const order = [['MM', 'DD', end], ['DD', 'MM', end], ...(end === 'YY' && separator === '-' ? [['YY', 'MM', 'DD']] : [])]; // prettier-ignore
  const possible = order.flatMap((parts) => {
    const format = parts.join(separator);
    const parsed = parseDateFormat(format);
    const read = parsed === undefined ? undefined : readByFormat(text, parsed);
    if (read === undefined || !exists(read.clock)) return [];
    const written = readTimeOfDay(read.rest)?.time;
    const time = written !== undefined && written.hour < 24 && written.minute < 60 ? written : undefined;
    const clock = time === undefined ? '' : ` ${twoDigits(time.hour)}:${twoDigits(time.minute)}`;
    const unread = time === undefined ? read.rest.trim() : '';
    return [{ format, moment: `${dateOf(read.clock)}${clock}`, unread }];
  });
  const [one, other] = possible;
  if (one === undefined) return impossible(match);
  const { unread } = one;
  const shown = possible.map(({ format, moment }) => `${moment} (date_format: ${format})`).join(' or ');
  return `It could be ${shown}. Set the file’s format with --date-format, or date_format above videos in a YAML; or write ${other === undefined ? one.moment : 'the one you mean'}${unread === '' ? '' : ' with its time of day'} instead.${unread === '' ? '' : ` “${showValue(unread)}” can’t be read as a time of day: write it as 18:00.`}`;
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']; // prettier-ignore

/** Why neither reading of two numbers is a date: `29.02.2027`, `13/14/2026`. */
function impossible([, first = '', , second = '', written = '']: RegExpExecArray): string {
  const year = written.length === 4 ? Number(written) : 2000 + Number(written);
  const days = [first, second].map(Number).filter((number) => number >= 1 && number <= 12).map((month) => daysText(year, month)); // prettier-ignore
  if (days.length === 0)
    return `Neither ${first} nor ${second} can be the month. Write it as 2026-06-08T18:00:00+02:00.`;
  return `${days.join(', and ')}. Correct the date.`;
}

/** `February 2027 has 28 days`. */
export function daysText(year: number, month: number): string {
  return `${MONTHS[month - 1] ?? ''} ${String(year)} has ${String(new Date(Date.UTC(year, month, 0)).getUTCDate())} days`;
}

function exists({ year, month, day }: Clock): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function dateOf({ year, month, day }: Clock): string {
  return `${String(year)}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
