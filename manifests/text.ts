// Characters that could break a line, reorder or hide text on a terminal. The zero-width joiner stays: emoji need it.
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with control, direction and invisible characters written as escapes (`\n`, `\u{202e}`). */
export function visible(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => SHORT_ESCAPES[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}

const URL_PARTS = /(:\/\/)([^\s/?#@"'<>]*@)?([^\s?#"'<>]*)(\?[^\s"'<>]*)?(#[^\s"'<>]*)?/gi;

/** Hides the possibly secret parts of every URL in the text: user and password, query and fragment. */
export function maskUrl(text: string): string {
  return text.replace(
    URL_PARTS,
    (_all: string, separator: string, login?: string, rest?: string, query?: string, fragment?: string) =>
      `${separator}${login === undefined ? '' : '…@'}${rest ?? ''}${query === undefined ? '' : '?…'}${fragment === undefined ? '' : '#…'}`,
  );
}

/** The text shortened to at most `max` characters (code points), with `…` for the rest. */
export function shorten(text: string, max = 80): string {
  if (text.length <= max) return text;
  const characters = Array.from(text.slice(0, (max + 1) * 2));
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** A value that is safe in a message: URLs masked, shortened, and safe on a terminal. */
export function showValue(text: string, max = 80): string {
  // The part that is cut off isn't searched: a cell may be megabytes long.
  return visible(shorten(maskUrl(text.slice(0, max * 20)), max));
}

/** A character's code point in the usual notation: `U+200B`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
