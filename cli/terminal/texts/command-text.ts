import { resolve } from 'node:path';
import { shellWord } from '../../../wording/shell';

/** These use neither a ledger nor a service. */
const PLAIN = /^(sandbox|schema|completion|help)\b|^--/;

/** The home that this process's command line set with a flag; a variable will still be set for the next command. */
let namedHome: string | null = null;

/** Remembers `--home`, which every command that is shown then needs too; absolute, since a report may be read anywhere. */
export function noteHome(home: string | undefined): void {
  namedHome = home === undefined ? null : home.startsWith('~') ? home : resolve(home);
}

/** The flags that a shown command needs to find the same ledger: ` --sandbox --home '/my files'`, or nothing. */
export function placeFlags(sandbox: boolean): string {
  return `${sandbox ? ' --sandbox' : ''}${namedHome === null ? '' : ` --home ${shellWord(namedHome)}`}`;
}

/** Adds to commands in backticks in a text the flags that the current command was given for finding the ledger. */
export function withPlace(text: string, sandbox: boolean): string {
  return text.replace(/`reelay ([^`]+)`/g, (named, words: string) => {
    if (PLAIN.test(words) || /\s--help\b/.test(words)) return named;
    const flags = placeFlags(sandbox && !/\s--sandbox\b/.test(words));
    return `\`reelay ${words}${/\s--home\b/.test(words) ? flags.replace(/ --home .*/su, '') : flags}\``;
  });
}
