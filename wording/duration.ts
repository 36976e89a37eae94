/** Units of a duration, in ms. */
export const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * `90s`, `30m`, `24h`, `2d`, `1h30m` in ms; undefined if it isn't a duration above 0. A bare number isn't: its unit
 * would be a guess.
 */
export function parseDuration(text: string): number | undefined {
  const compact = text.replace(/\s+/g, '').toLowerCase();
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, unit] of compact.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (DURATION_UNITS[unit ?? ''] ?? 0);
  }
  const rounded = Math.round(total);
  return rounded > 0 && Number.isSafeInteger(rounded) ? rounded : undefined;
}
