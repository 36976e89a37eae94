import { type ShownParts } from './number-format';

const DAY_MS = 86_400_000;
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** 9999-12-31 is the last day of spreadsheets. */
const LAST_SERIAL = 2_958_466;

/**
 * A number as text: a date as the same local time that a CSV would have (`2026-12-01 18:00`), any other with all its
 * digits and without an exponent. 15 digits of fractions are kept, as in spreadsheets: the rest is noise.
 */
export function numberText(value: number, shown: ShownParts, date1904: boolean): string {
  if ((shown.date || shown.time) && value >= 0 && value < LAST_SERIAL) return dateText(value, shown, date1904);
  const plain = plainNumber(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)));
  return shown.digits === undefined || !/^\d+$/.test(plain) ? plain : plain.padStart(shown.digits, '0');
}

function dateText(serial: number, { date, time }: ShownParts, date1904: boolean): string {
  // Days before 1 March 1900 are off by one: workbooks count a 29 February 1900.
  const days = date1904 || serial >= 60 ? serial : serial + 1;
  const ms = Math.round((days * DAY_MS) / 1000) * 1000 + (date1904 ? EPOCH_1904 : EPOCH_1900);
  const iso = new Date(ms).toISOString();
  const clock = iso.slice(17, 19) === '00' ? iso.slice(11, 16) : iso.slice(11, 19);
  // Less than a day is a time of day, whatever the format shows.
  if (serial < 1 && time) return clock;
  if (date && time) return `${iso.slice(0, 10)} ${clock}`;
  return date ? iso.slice(0, 10) : clock;
}

function plainNumber(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', lead = '', rest = '', exponent = '0'] = match;
  const digits = lead + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
