import { resolve } from 'node:path';
import { shellWord } from '../../../wording/shell';

/** Without these flags and their values; each takes one. */
export function withoutFlags(argv: readonly string[], flags: readonly string[]): string[] {
  return argv.filter((word, index) => {
    const named = (text: string | undefined): boolean => flags.some((flag) => text === flag);
    return !named(word) && !named(argv[index - 1]) && !flags.some((flag) => word.startsWith(`${flag}=`));
  });
}

/** These touch neither a ledger nor a service. */
const PLAIN = /^(sandbox|schema|completion|help)\b|^--/;

/** The home that this process's command line named by a flag; a variable is there for the next command too. */
let namedHome: string | null = null;

/** Takes note of `--home`, which every command that is shown then needs too; absolute, as a report is read anywhere. */
export function noteHome(home: string | undefined): void {
  namedHome = home === undefined ? null : home.startsWith('~') ? home : resolve(home);
}

/** What a command that is shown needs to find the same ledger: ` --sandbox --home '/my files'`, or nothing. */
export function placeFlags(sandbox: boolean): string {
  return `${sandbox ? ' --sandbox' : ''}${namedHome === null ? '' : ` --home ${shellWord(namedHome)}`}`;
}

/** Whole commands that a text names in backticks, with those flags of where the command they are said by was given. */
export function withPlace(text: string, sandbox: boolean): string {
  return text.replace(/`reelay ([^`]+)`/g, (named, words: string) => {
    if (PLAIN.test(words) || /\s--help\b/.test(words)) return named;
    const flags = placeFlags(sandbox && !/\s--sandbox\b/.test(words));
    return `\`reelay ${words}${/\s--home\b/.test(words) ? flags.replace(/ --home .*/su, '') : flags}\``;
  });
}
