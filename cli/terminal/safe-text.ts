/**
 * Control and format characters that could move the cursor, reorder or hide text on a terminal, without the joiners
 * that emoji and some scripts need (U+200C, U+200D).
 */
const UNSAFE_SET =
  '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb';
const UNSAFE = new RegExp(`[${UNSAFE_SET}]`, 'gu');
/** The styles that `Output.paint` writes, each as a whole, or one unsafe character. */
const STYLE_OR_UNSAFE = new RegExp(`\\u001b\\[(?:[0-2]|3[1236])m|[${UNSAFE_SET}]`, 'gu');
/** Characters that no text file contains: control characters other than tabs and line ends. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

/** The text with every unsafe character as `\u{…}`, on one line. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/**
 * Our own text on its way to a stream, which may contain text from outside: unsafe characters are escaped. Tabs stay,
 * and so do colours and line ends if requested.
 */
export function streamText(text: string, keep: { style: boolean; breaks: boolean }): string {
  return text.replace(STYLE_OR_UNSAFE, (found) => {
    const kept = found === '\t' || (found === '\n' && keep.breaks) || (found.length > 1 && keep.style);
    return kept ? found : found.replace(UNSAFE, escaped);
  });
}

/**
 * A file's text (CSV, HTML) without the control characters that no such file needs; on a terminal without any that
 * affects it.
 */
export function fileText(text: string, { terminal }: { terminal: boolean }): string {
  if (!terminal) return text.replace(CONTROLS, escaped);
  return text.replace(/\r\n/g, '\n').replace(UNSAFE, (found) => (/[\t\n]/.test(found) ? found : escaped(found)));
}

/** JSON in which unsafe characters are escaped: it reads back as the same value. */
export function safeJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
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
