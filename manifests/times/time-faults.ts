/** What is wrong in a text that can't be read as a time, and what to do. */
interface TimeFault {
  /** Completes “it has …”. */
  has: string;
  fix: string;
}

const DATES =
  /(?<!\d)(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}\/\d{1,2}\/\d{2,4}|\d{1,2}-\d{1,2}-\d{2,4})(?!\d)/g;
/** The offset of `18:00-05:00` is no time of day. */
const TIMES = /(?<![\d:.]|\d[+-])\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\b\.?)?(?![\d:])/g;
const SHORT_YEAR = /^\d{1,2}([./-])\d{1,2}\1\d{2}(?!\d)/;
const LONG_YEAR = /^\d{1,2}([./-])\d{1,2}\1\d{4}(?!\d)/;
const NO_YEAR = /^\d{1,2}(?:\.\d{1,2}\.?|\/\d{1,2})(?=[\s,]|$)/;

/** Of the moments that are listed. */
const SHOWN = 3;

/**
 * The faults that can be named: two moments in one cell, and a year that is missing or has another number of digits
 * than the date format. `yearHint`: how a date with a year of two digits may be meant.
 */
export function timeFaults(
  text: string,
  dateFormat: string | undefined,
  yearHint: () => string | undefined,
): readonly TimeFault[] {
  const [dates, times] = [[...text.matchAll(DATES)], [...text.matchAll(TIMES)]].map((all) => all.map(([one]) => one));
  const faults: TimeFault[] = [];
  const fix = 'A row is sent once: keep one of them, and add a row with its own key for each of the others.';
  if (dates !== undefined && dates.length > 1) faults.push({ has: `${dates.length} dates (${listed(dates)})`, fix });
  else if (times !== undefined && times.length > 1)
    faults.push({ has: `${times.length} times of day (${listed(times)})`, fix });
  const year = yearFault(text, dateFormat, faults.length === 0 ? yearHint : () => undefined);
  return year === null ? faults : [...faults, year];
}

function yearFault(text: string, dateFormat: string | undefined, hint: () => string | undefined): TimeFault | null {
  if (NO_YEAR.test(text)) return { has: 'no year', fix: 'Write the year too, with four digits.' };
  const digits = dateFormat === undefined ? null : /yyyy/i.test(dateFormat) ? 4 : 2;
  if (SHORT_YEAR.test(text) && digits !== 2) {
    const asked = digits === null ? '' : `, but the date_format ${dateFormat ?? ''} has one with four`;
    const full = 'Write the year with four digits.';
    return { has: `a year with two digits${asked}`, fix: digits === null ? (hint() ?? full) : full };
  }
  if (!LONG_YEAR.test(text) || digits !== 2) return null;
  const asked = dateFormat?.replace(/yy/i, 'YYYY') ?? '';
  return {
    has: `a year with four digits, but the date_format ${dateFormat ?? ''} has one with two`,
    fix: `Use the date_format ${asked}.`,
  };
}

function listed(all: readonly string[]): string {
  const shown = all.slice(0, SHOWN);
  const last = all.length > SHOWN ? '…' : (shown.pop() ?? '');
  return `${shown.join(', ')}${all.length > SHOWN ? ', ' : ' and '}${last}`;
}
