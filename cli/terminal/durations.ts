import { DURATION_UNITS, parseDuration } from '../../wording/duration';
import { UsageError } from '../errors/errors';

/** As a flag takes it, in the largest unit that is exact: `20s`, `90m`. */
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

/** For people: `45 s`, `3 min`, `2 h 10 min`, `3 d 4 h`. */
export function showDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${String(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${String(hours)} h` : `${String(hours)} h ${String(minutes % 60)} min`;
  return hours % 24 === 0 ? `${String(hours / 24)} d` : `${String(Math.floor(hours / 24))} d ${String(hours % 24)} h`;
}
