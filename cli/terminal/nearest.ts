import { closest, distance } from 'fastest-levenshtein';

/** The name that a mistyped word most likely means; null if none is close. */
export function nearest(word: string, names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const near = closest(word, [...names]);
  const apart = distance(word, near);
  // In a short word two letters are half of it: then at least the first one has to match.
  const alike = apart < 2 || word.length > 5 || word[0] === near[0];
  return alike && apart <= Math.max(2, word.length / 3) ? near : null;
}
