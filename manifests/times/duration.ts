const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `90s`, `30m`, `24h`, `2d` or `1h30m`; undefined if it isn't one above 0. */
export function parseDuration(text: string): number | undefined {
  const compact = text.replace(/\s+/g, '').toLowerCase();
  if (!/^(\d+(\.\d+)?[smhd])+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of compact.matchAll(/(?<![\d.])(\d+(\.\d+)?)([smhd])/g))
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  const rounded = Math.round(total);
  return rounded > 0 && Number.isSafeInteger(rounded) ? rounded : undefined;
}
