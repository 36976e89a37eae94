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

/** The config that shown commands have to name, because it isn't the one that is found from the current folder. */
let namedConfig: string | null = null;

/** Absolute; null: none has to be named. */
export function noteConfig(path: string | null): void {
  namedConfig = path;
}

/** The flags that a shown command needs to find the same ledger and config: ` --sandbox --home '/my files'`, or nothing. */
export function placeFlags(sandbox: boolean): string {
  return textOf(placeParts(sandbox));
}

function textOf(parts: readonly PlacePart[]): string {
  return parts.map(([flag, value]) => ` ${flag}${value === undefined ? '' : ` ${shellWord(value)}`}`).join('');
}

type PlacePart = readonly [flag: string, value?: string];

function placeParts(sandbox: boolean): PlacePart[] {
  return [
    ...(sandbox ? [['--sandbox'] as const] : []),
    ...(namedConfig === null ? [] : [['--config', namedConfig] as const]),
    ...(namedHome === null ? [] : [['--home', namedHome] as const]),
  ];
}

/** Adds to commands in backticks in a text the flags that they need for finding the ledger and the config. */
export function withPlace(text: string, sandbox: boolean): string {
  return text.replace(/`reelay ([^`]+)`/g, (named, words: string) => {
    if (PLAIN.test(words) || /\s--help\b/.test(words)) return named;
    const missing = placeParts(sandbox).filter(([flag]) => !` ${words} `.includes(` ${flag} `));
    return `\`reelay ${words}${textOf(missing)}\``;
  });
}
