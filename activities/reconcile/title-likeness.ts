/**
 * How a title that a service shows relates to the one that was sent: `exact` it is the same text; `same` it is after what
 * services usually do to text (see `normalisedTitle`); `cut` it is the beginning of it; `near` it has much in common with
 * it; `far` it hasn't; `unknown` one of the two says nothing.
 */
export type TitleLikeness = 'exact' | 'same' | 'cut' | 'near' | 'far' | 'unknown';

/** A cut title of fewer letters and digits may be the beginning of anything. */
const MIN_CUT = 8;
/** From this share of common text on, two titles are near. */
const NEAR = 0.5;

export function compareTitles(sent: string | null, shown: string | null | undefined): TitleLikeness {
  if (sent === null || shown === undefined || shown === null) return 'unknown';
  if (sent === shown) return 'exact';
  const a = normalisedTitle(sent);
  const b = normalisedTitle(shown);
  // Emoji and punctuation alone may be dropped by a service: nothing is left that could be compared.
  if (a === '' || b === '') return 'unknown';
  if (a === b) return 'same';
  if (a.startsWith(b) && b.length >= MIN_CUT && isMarkedCut(shown)) return 'cut';
  if (a.startsWith(b) || b.startsWith(a) || a.includes(b) || b.includes(a)) return 'near';
  return likeness(a, b) >= NEAR ? 'near' : 'far';
}

/**
 * Letters and digits in one case and one Unicode form. What services change is gone: entities, compatibility forms and
 * accents, whitespace, punctuation, kinds of quotes, emoji, a mark at the end of a cut text.
 */
export function normalisedTitle(title: string): string {
  return decodeEntities(decodeEntities(title))
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFC');
}

function isMarkedCut(shown: string): boolean {
  return /(…|\.\.\.|&hellip;|&#8230;)\s*$/u.test(shown);
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
};

/** Letters with an accent as entities become that letter; names of other signs are punctuation, which is dropped anyway. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,15});/giu, (whole, name: string) => {
    if (name.startsWith('#')) {
      const code = /^#x/iu.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    }
    const known = NAMED[name.toLowerCase()];
    if (known !== undefined) return known;
    const accented = /^([a-z])(acute|grave|circ|tilde|uml|ring|cedil|caron|slash)$/iu.exec(name);
    if (accented?.[1] !== undefined) return accented[1];
    return name.toLowerCase() === 'szlig' ? 'ß' : ' ';
  });
}

/** 1 minus the edit distance over the longer length: 1 for equal texts, 0 for texts without anything in common. */
function likeness(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
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
