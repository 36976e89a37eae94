import { Option, type Command } from 'commander';
import { UsageError } from '../../../errors/errors';
import { addManifestFlags, type ManifestFlags } from '../../../submission/manifest-flags';

/** Flags of `schedule`; each belongs to some of its actions. */
export interface ScheduleFlags extends ManifestFlags {
  cron?: string;
  every?: string;
  offset?: string;
  at?: string;
  take?: string;
  overlap?: 'skip' | 'wait' | 'join';
  catchUp?: string;
  pauseAfter?: string;
  prune?: boolean;
  keep?: boolean;
  paused?: boolean;
  dryRun?: boolean;
  note?: string;
  from?: string;
  to?: string;
  limit?: string;
  yes?: boolean;
  singleHost?: boolean;
}

export function addScheduleFlags(command: Command): Command {
  return addManifestFlags(
    command
      .option('--cron <expression>', 'when: five fields, such as "0 9 * * 1"')
      .option('--every <duration>', 'when: an interval, such as 6h')
      .option('--offset <duration>', 'with --every: shifts it, such as 30m')
      .option('--at <time>', 'when: days and times, such as "mon-fri 09:00"')
      .option('--take <n>', 'number of rows per firing, in the manifest’s order')
      .addOption(
        new Option('--overlap <what>', 'a firing while the previous one is running (default skip)').choices([
          'skip',
          'wait',
          'join',
        ]),
      )
      .option('--catch-up <duration>', 'how late a firing may be after downtime (default 1h)')
      .option('--pause-after <n>', 'pause after this many refused or stopped firings in a row; 0: never (default 3)')
      .addOption(
        new Option('--prune', 'firings cancel unsent rows that are no longer in the manifest').conflicts('keep'),
      )
      .option('--keep', 'firings keep rows that are no longer in the manifest; unsent ones are still sent')
      .option('--paused', 'with create: create it paused')
      .option('--dry-run', 'with create and update: only show the result')
      .option('--note <text>', 'with pause and unpause: why')
      .option('--from <time>', 'with backfill: the first time, such as 2026-11-01 or 2026-11-01T09:00+01:00')
      .option('--to <time>', 'with backfill: the last time (default now)')
      .option('--limit <n>', 'with show: maximum number of firings (default 20)')
      .option('--yes', 'with backfill and delete: don’t ask')
      .option('--single-host', 'confirm that every worker and command of this ledger runs on this host'),
  );
}

/** A whole number given as a flag. @throws UsageError */
export function countFlag(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value >= least) return value;
  throw new UsageError(`${flag}: “${text}” is not a whole number from ${String(least)}`);
}
