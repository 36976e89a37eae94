import { Option, type Command } from 'commander';
import { collect } from '../command';
import { UsageError } from '../errors/errors';
import { addManifestFlags, type ManifestFlags } from './manifest-flags';

/** Flags of everything that accepts a manifest: `plan`, `submit`, `run`. */
export interface SubmitFlags extends ManifestFlags {
  limit?: number;
  key?: string[];
  prune?: boolean;
  keep?: boolean;
  forceOld?: boolean;
  rekey?: boolean;
  acceptDifferences?: boolean;
  recreate?: boolean;
  confirmBaseUrl?: boolean;
  skipInvalid?: boolean;
  probe?: boolean;
  once?: boolean;
  uncancel?: boolean;
  yes?: boolean;
}

export interface SubmitChoices {
  select?: { limit?: number; keys?: readonly string[] };
  /** Absent: the default for the kind of manifest. */
  vanished?: 'prune' | 'keep';
  forceOld: boolean;
  rekey: boolean;
  acceptDifferences: boolean;
  recreate: boolean;
  /** Absent: ask, or refuse. */
  cancelled?: 'send';
}

export function addSubmitFlags(command: Command): Command {
  // Only `run` asks before it publishes; the others take the flag so that their command line can be that of `run`.
  const yes = new Option('--yes', 'don’t ask before something new is published').hideHelp(command.name() !== 'run');
  return addManifestFlags(command)
    .option('--limit <n>', 'a trial: maximum number of remaining rows to send', wholeNumber)
    .option('--key <key>', 'a trial: only this row (repeatable)', collect)
    .addOption(new Option('--prune', 'cancel unsent rows that are no longer in the manifest').conflicts('keep'))
    .option('--keep', 'keep rows that are no longer in the manifest; unsent ones are still sent')
    .option('--force-old', 'accept an earlier version of the file')
    .option('--rekey', 'accept new keys for sources or titles that had different ones')
    .option(
      '--accept-differences',
      'accept changed values of rows that are already live, texts that look damaged, and values that replace a correction or a newer value',
    )
    .option('--recreate', 'replace drafts that can’t be changed to what the manifest says; the old draft is deleted')
    .option('--uncancel', 'also send rows that someone cancelled')
    .addOption(yes)
    .option('--skip-invalid', 'send the valid rows and write those with errors to rejected.csv (exit 5)')
    .option('--once', 'for a manifest with a schedule: publish now what a firing would; the schedule is unchanged')
    .option('--no-probe', 'don’t test a few URLs of each host')
    .option(
      '--confirm-base-url',
      'accept the account’s address (the service moved, or another account had it) and its profiles (all were created again)',
    );
}

export function submitChoices(flags: SubmitFlags): SubmitChoices {
  const { limit, key: keys } = flags;
  const select = { ...(limit === undefined ? {} : { limit }), ...(keys === undefined ? {} : { keys }) };
  return {
    ...(limit === undefined && keys === undefined ? {} : { select }),
    ...(flags.prune ? { vanished: 'prune' } : flags.keep ? { vanished: 'keep' } : {}),
    forceOld: flags.forceOld ?? false,
    rekey: flags.rekey ?? false,
    acceptDifferences: flags.acceptDifferences ?? false,
    recreate: flags.recreate ?? false,
    ...(flags.uncancel === true ? { cancelled: 'send' } : {}),
  };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new UsageError(`“${text}” is not a whole number from 1`, 'Give a count, such as --limit 5.');
  }
  return value;
}
