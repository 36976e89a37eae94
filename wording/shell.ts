/** Characters that a line for people can't show as they are, and the backtick, which ends a command in Markdown. */
const SPECIAL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb`]/;
const FLAG = /^(--?[A-Za-z][A-Za-z0-9-]*)(?:=([^]*))?$/;

/**
 * A word quoted for a shell, unchanged if it needs no quotes. Control characters are written as `$'a\x0ab'`, which
 * bash, zsh and POSIX since 2024 read: on one line, and without a backtick, a command can be shown anywhere. An older
 * shell reads another value, but still one word: there is no quote inside.
 */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text) && !text.startsWith('-')) return text;
  if (!SPECIAL.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${Array.from(text, (character) => (/[\\']/.test(character) || SPECIAL.test(character) ? escaped(character) : character)).join('')}'`;
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A command line (without `node` and the script) as a person would type it. */
export function commandText(argv: readonly string[]): string {
  return ['reelay', ...argv.map(flagOrWord)].join(' ');
}

function flagOrWord(word: string): string {
  const [, flag, value] = FLAG.exec(word) ?? [];
  if (flag === undefined) return shellWord(word);
  return value === undefined ? flag : `${flag}=${shellWord(value)}`;
}
