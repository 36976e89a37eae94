/**
 * Control and format characters that could move the cursor, reorder or hide text on a terminal, without the joiners
 * that emoji and some scripts need (U+200C, U+200D).
 */

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** The text with every unsafe character as `\u{…}`, on one line. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

const COUNT = new Intl.NumberFormat('en-US');

/** `12,345`, the same in every locale. */
export function thousands(count: number): string {
  return COUNT.format(count);
}

/** `1 row`, `2 rows`, `1,200 rows`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}
