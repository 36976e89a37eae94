/**
 * `date+90`: an HTTP date 90 s ahead; `date-10`: one in the past. Everything else is sent unchanged, even if it is
 * invalid.
 */
export function retryAfterHeader(value: number | string | (number | string)[], now: number): string | string[] {
  if (Array.isArray(value)) return value.map((one) => oneHeader(one, now));
  return oneHeader(value, now);
}

function oneHeader(value: number | string, now: number): string {
  const date = /^date([+-]\d+)$/.exec(String(value));
  return date === null ? String(value) : new Date(now + Number(date[1]) * 1000).toUTCString();
}
