import { DURATION_UNITS, parseDuration } from '../../../wording/duration';
import { UsageError } from '../../errors/errors';

/** In the syntax of a flag, in the largest unit that is exact: `20s`, `90m`. */
export function durationText(ms: number): string {
  const [unit, size] = Object.entries(DURATION_UNITS).findLast(([, one]) => ms >= one && ms % one === 0) ?? ['ms', 1];
  return `${String(ms / size)}${unit}`;
}

/** A duration given as a flag. @throws UsageError */
export function durationFlag(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) {
    throw new UsageError(
      `${flag}: “${text}” is not a duration`,
      'Write a number with its unit, such as 90s, 15m, 24h or 1h30m.',
    );
  }
  return ms;
}
