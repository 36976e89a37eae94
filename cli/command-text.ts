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

/** Without these flags and their values; each takes one. */
export function withoutFlags(argv: readonly string[], flags: readonly string[]): string[] {
  return argv.filter((word, index) => {
    const named = (text: string | undefined): boolean => flags.some((flag) => text === flag);
    return !named(word) && !named(argv[index - 1]) && !flags.some((flag) => word.startsWith(`${flag}=`));
  });
}

/** These touch neither a ledger nor a service. */
const PLAIN = /^(sandbox|schema|completion|help)\b|^--/;

/** Whole commands that a text names in backticks, with the flag that the command they are said by was given. */
export function withSandbox(text: string): string {
  return text.replace(/`reelay ([^`]+)`/g, (named, words: string) =>
    PLAIN.test(words) || /\s--(sandbox|help)\b/.test(words) ? named : `\`reelay ${words} --sandbox\``,
  );
}
