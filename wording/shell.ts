/** A word as a shell takes it, unchanged where it needs no quotes. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line (without `node` and the script) as a person would type it. */
export function commandText(argv: readonly string[]): string {
  return ['reelay', ...argv.map((word) => (/^--?[A-Za-z]/.test(word) ? flagWord(word) : shellWord(word)))].join(' ');
}

function flagWord(word: string): string {
  const at = word.indexOf('=');
  return at < 0 ? word : `${word.slice(0, at)}=${shellWord(word.slice(at + 1))}`;
}
