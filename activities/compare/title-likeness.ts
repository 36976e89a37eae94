import { compareTexts, normalisedText } from './normalised-text';

/**
 * How a title that a service shows relates to the one that was sent: `exact`: the same text; `same`: the same apart
 * from what services usually do to text; `cut`: its beginning, with a truncation mark; `near`: they have much in
 * common; `far`: they don't; `unknown`: one of the two has nothing to compare.
 */
export type TitleLikeness = 'exact' | 'same' | 'cut' | 'near' | 'far' | 'unknown';

/** A cut title with fewer letters and digits could be the beginning of any title. */
const MIN_CUT = 8;
/** From this share of common text on, two titles are near. */
const NEAR = 0.5;
const CUT_MARK = /(?:…|\.\.\.|&hellip;|&#8230;)\s*$/u;

export function compareTitles(sent: string | null, shown: string | null | undefined): TitleLikeness {
  if (sent === null || shown === undefined || shown === null) return 'unknown';
  if (sent === shown) return sent.trim() === '' ? 'unknown' : 'exact';
  const a = normalisedText(sent);
  const b = normalisedText(shown);
  switch (compareTexts(sent, shown)) {
    case 'same':
      return 'same';
    case 'unclear':
      return 'unknown';
    case 'truncated':
      return CUT_MARK.test(shown) && b.length >= MIN_CUT ? 'cut' : 'near';
    case 'different':
      return a.includes(b) || b.includes(a) || isNear(a, b) ? 'near' : 'far';
  }
}

function isNear(a: string, b: string): boolean {
  // The distance is at least the difference in length, so a far longer text is never near. Without this shortcut, a
  // service that shows a title of megabytes would block the worker for as long as the comparison takes.
  const [shorter, longer] = [Array.from(a).length, Array.from(b).length].sort((one, other) => one - other);
  if ((shorter ?? 0) < NEAR * (longer ?? 0)) return false;
  return likeness(a, b) >= NEAR;
}

/** 1 minus the edit distance over the longer length: 1 for equal texts, 0 for texts without anything in common. */
function likeness(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  let before = right.map((_, at) => at + 1);
  for (let i = 0; i < left.length; i += 1) {
    let diagonal = i;
    let last = i + 1;
    before = before.map((above, j) => {
      const cost = left[i] === right[j] ? diagonal : 1 + Math.min(diagonal, above, last);
      diagonal = above;
      last = cost;
      return cost;
    });
  }
  return 1 - (before.at(-1) ?? left.length) / Math.max(left.length, right.length);
}
