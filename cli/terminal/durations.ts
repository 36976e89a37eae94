import { UsageError } from '../errors/errors';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `24h`, `1h30m`, `2d` in ms; undefined when it isn't a duration. A bare number isn't: its unit would be a guess. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  }
  return Math.round(total);
}

/** As a flag takes it, in the largest unit that is exact: `20s`, `90m`. */
export function durationText(ms: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([, one]) => ms >= one && ms % one === 0) ?? ['ms', 1];
  return `${String(ms / size)}${unit}`;
}

/** A duration given as a flag. @throws UsageError */
export function durationFlag(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0) {
    throw new UsageError(
      `${flag}: “${text}” is not a duration`,
      'Write a number with its unit, such as 90s, 15m, 24h or 1h30m.',
    );
  }
  return ms;
}
