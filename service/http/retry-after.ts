const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = String.raw`(\d{2}):(\d{2}):(\d{2})`;
/** `Sun, 06 Nov 1994 08:49:37 GMT`, also with the dashes and the two-digit year of the older form. */
const DAY_FIRST = new RegExp(String.raw`^[a-z]{3,9}, (\d{2})[ -]([a-z]{3})[ -](\d{2}|\d{4}) ${TIME} (?:gmt|utc)$`, 'i');
/** `Sun Nov  6 08:49:37 1994`. */
const MONTH_FIRST = new RegExp(String.raw`^[a-z]{3} ([a-z]{3}) ([ \d]\d) ${TIME} (\d{4})$`, 'i');

/**
 * How long a `Retry-After` asks to wait, in ms, uncapped. Digits are seconds; an HTTP date is a point in time (one that
 * has passed means 0). Invalid and negative values are undefined; of several values the longest counts.
 * @param now the time the answer came, in ms since 1970
 */
export function parseRetryAfter(value: string | readonly string[] | undefined, now: number): number | undefined {
  const values = (typeof value === 'string' ? [value] : (value ?? [])).flatMap(splitList);
  const waits = values.map((one) => waitOf(one, now)).filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** An HTTP date in ms since 1970, in any of its three forms; undefined for anything else. */
export function parseHttpDate(text: string): number | undefined {
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst) {
    const [, day, month, year, h, m, s] = dayFirst;
    return instant(fullYear(Number(year), year?.length === 2), month, day, h, m, s);
  }
  const monthFirst = MONTH_FIRST.exec(text);
  if (monthFirst) {
    const [, month, day, h, m, s, year] = monthFirst;
    return instant(Number(year), month, day, h, m, s);
  }
  return undefined;
}

function waitOf(text: string, now: number): number | undefined {
  // Digits first: a date parser would read "120" as the year 120.
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** Intermediaries join repeated headers with commas; dates contain commas too, after the name of the day. */
function splitList(text: string): string[] {
  return text
    .split(/(?<!^\s*[a-z]{3,9}|,\s*[a-z]{3,9}),/i)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function fullYear(year: number, twoDigits: boolean): number {
  if (!twoDigits) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

function instant(year: number, month = '', ...parts: (string | undefined)[]): number | undefined {
  const [day = NaN, h = NaN, m = NaN, s = NaN] = parts.map(Number);
  const index = MONTHS.indexOf(month.toLowerCase());
  if (index < 0 || day < 1 || day > 31 || h > 23 || m > 59 || s > 60) return undefined;
  const time = Date.UTC(year, index, day, h, m, s);
  return Number.isNaN(time) ? undefined : time;
}
