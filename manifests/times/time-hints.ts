import { parseDateFormat, readByFormat, readTimeOfDay, type Clock } from './date-format';
import { showValue } from '../text';

const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?=\D|$)/;
const SERIAL = /^[45]\d{4}([.,]\d+)?$/;

/** What to do about a time that can't be read, where more can be said than the general advice. */
export function timeHint(text: string, asked: string | undefined): string | undefined {
  if (SERIAL.test(text))
    return 'This looks like a spreadsheet’s own number for a date: format the column as text, or as a date, and export it again.';
  if (asked !== undefined)
    return `Write it as the date_format ${showValue(asked)} says, or as 2026-06-08T18:00:00+02:00.`;
  return readings(text);
}

/** Both readings of `12/01/2026`, as nobody can know which is meant. */
function readings(text: string): string | undefined {
  const match = NUMBERS.exec(text);
  if (match === null) return undefined;
  const [, , separator = '/', , year = ''] = match;
  const end = year.length === 4 ? 'YYYY' : 'YY';
  const possible = ['MM', 'DD'].flatMap((first) => {
    const format = `${first}${separator}${first === 'MM' ? 'DD' : 'MM'}${separator}${end}`;
    const parsed = parseDateFormat(format);
    const read = parsed === undefined ? undefined : readByFormat(text, parsed);
    if (read === undefined || !exists(read.clock)) return [];
    const time = readTimeOfDay(read.rest)?.time;
    const clock = time === undefined ? '' : ` ${twoDigits(time.hour)}:${twoDigits(time.minute)}`;
    const unread = time === undefined ? read.rest.trim() : '';
    return [{ format, moment: `${dateOf(read.clock)}${clock}`, unread }];
  });
  const [one, other] = possible;
  if (one === undefined) return undefined;
  const { unread } = one;
  const shown = possible.map(({ format, moment }) => `${moment} (date_format: ${format})`).join(' or ');
  return `It could be ${shown}. Say how the sheet writes dates, by date_format above videos or --date-format; or write ${other === undefined ? one.moment : 'the one you mean'}${unread === '' ? '' : ' with its time of day'} instead.${unread === '' ? '' : ` “${showValue(unread)}” can’t be read as a time of day: write it as 18:00.`}`;
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
