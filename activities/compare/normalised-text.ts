/**
 * How a text that a service shows relates to the text that was sent, after normalising both: `same`; `truncated` (the shown one
 * is the beginning of the sent one); `different`; or `unclear` where one of them has no letter or digit to compare.
 */
export type TextRelation = 'same' | 'truncated' | 'different' | 'unclear';

export function compareTexts(sent: string, shown: string): TextRelation {
  if (sent === shown) return 'same';
  const whole = normalisedText(sent);
  const part = normalisedText(shown);
  if (whole === part && whole !== '') return 'same';
  if (whole === '' || part === '') return 'unclear';
  if (whole.startsWith(part)) return 'truncated';
  const cut = normalisedText(withoutCutEnd(shown));
  return cut !== '' && whole.startsWith(cut) ? 'truncated' : 'different';
}

/**
 * A text without what services typically rewrite: letters and digits only, decomposed (Unicode NFKD), in one case, with
 * HTML entities decoded. `Tom &amp; Jerry – Part 2 🎬` and `tom & jerry  part 2` both become `tomjerrypart2`. Two texts
 * with different results differ in more than case, whitespace, punctuation, emoji, encoding or Unicode form.
 */
export function normalisedText(text: string): string {
  const decomposed = decodeEntities(text).normalize('NFKD');
  // Upper case first: it merges letters such as ß and ss, or the two forms of a small sigma, that lower case keeps
  // apart.
  const folded = decomposed.toUpperCase().toLowerCase().normalize('NFKD');
  return folded.replace(/[^\p{L}\p{N}\p{M}]|[\u20e3\ufe00-\ufe0f]/gu, '');
}

/** Whether two short values, such as names, are the same apart from case; undefined if one of them isn't known. */
export function sameText(sent: string | null, shown: string | null | undefined): boolean | undefined {
  if (sent === null || shown === null || shown === undefined) return undefined;
  return sent.toLowerCase() === shown.toLowerCase();
}

/** Without the marks of a truncation, and without an HTML entity that it cut in two (`Tom &am…`). */
function withoutCutEnd(shown: string): string {
  return shown.replace(/(?<![\s….]|&hellip;)(?:[\s….]|&hellip;)+$/u, '').replace(/&#?\w{0,8}$/u, '');
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oelig: 'œ',
  OElig: 'Œ',
  oslash: 'ø',
  Oslash: 'Ø',
};
/** Entities such as `&eacute;` consist of a letter and the name of an accent. */
const MARKS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedil: '\u0327',
};
/** Entities whose character is not a letter: they don't matter, since punctuation is dropped. */
const PUNCTUATION = /^(?:hellip|[mn]dash|[lr][sd]quo|[sb]dquo|[lr]aquo|bull|middot|trade|copy|reg|deg|iexcl|iquest)$/;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;

/** Decodes until nothing changes, for services that encode what was encoded before (`&amp;amp;`). */
function decodeEntities(text: string): string {
  let decoded = text;
  for (let round = 0; round < 3 && decoded.includes('&'); round += 1) {
    decoded = decoded.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return namedEntity(name) ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    });
  }
  return decoded;
}

function namedEntity(name: string): string | undefined {
  if (Object.hasOwn(NAMED, name)) return NAMED[name];
  if (PUNCTUATION.test(name)) return ' ';
  const mark = MARKS[name.slice(1)];
  return mark === undefined ? undefined : `${name.charAt(0)}${mark}`;
}
