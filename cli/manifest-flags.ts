import { basename, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { type PaceSettings } from '../manifests/pace';
import { type ReadOptions } from '../manifests/types';
import { collect } from './command';
import { durationFlag } from './durations';
import { UsageError } from './errors';
import { type Settings } from './settings';

/** Flags that say how a manifest is read; those of the settings win over the manifest's own. */
export interface ManifestFlags {
  campaign?: string;
  timezone?: string;
  encoding?: string;
  delimiter?: string;
  strict?: boolean;
  past?: 'refuse' | 'now' | 'skip';
  late?: 'publish' | 'hold' | 'skip';
  giveUpAfter?: string;
  ambiguous?: 'reconcile' | 'hold';
  repeat?: 'refuse' | 'allow';
  concurrency?: string;
  minGap?: string;
  maxPer?: string[];
  hours?: string[];
  createsPerMinute?: string;
  parkAfter?: string;
  tolerate?: string;
  canary?: string;
}

/** A manifest by its path, or from standard input. */
export type ManifestSource = { path: string } | { text: Buffer; name: string; base: string };

export function addManifestFlags(command: Command): Command {
  return command
    .option('--campaign <name>', 'name of the campaign (default: the manifest’s, else the file’s)')
    .option('--timezone <zone>', 'zone of local times, such as Europe/Berlin')
    .option('--encoding <name>', 'encoding of a CSV that is not UTF-8')
    .option('--delimiter <char>', 'delimiter of a CSV: , ; tab or |')
    .option('--strict', 'treat warnings as errors')
    .addOption(new Option('--past <what>', 'a publish_at in the past').choices(['refuse', 'now', 'skip']))
    .addOption(new Option('--late <what>', 'a publish_at missed by more than 1 h').choices(['publish', 'hold', 'skip']))
    .option('--give-up-after <duration>', 'how long a publication may take before it is overdue, such as 24h')
    .addOption(new Option('--ambiguous <what>', 'a create whose answer was lost').choices(['reconcile', 'hold']))
    .addOption(
      new Option('--repeat <what>', 'a source that another campaign already has there').choices(['refuse', 'allow']),
    )
    .option('--concurrency <n>', 'pace: creates open at once in a channel')
    .option('--min-gap <duration>', 'pace: between two creates of a channel, such as 10m')
    .option('--max-per <cap>', 'pace: at most so many, such as "15 per 24h" (repeatable)', collect)
    .option('--hours <span>', 'pace: local hours, such as "Mon-Fri 09:00-21:00" (repeatable)', collect)
    .option('--creates-per-minute <n>', 'pace: creates a minute of an account')
    .option('--park-after <n>', 'park a channel after so many failures in a row (0: never)')
    .option('--tolerate <failures>', 'stop beyond so many failures, such as 5% or 10')
    .option('--canary <rows>', 'so many rows of each channel first, the others when these have ended well');
}

/** `-` is standard input; its relative paths start at the current folder. */
export async function manifestSource(argument: string, cwd: string = process.cwd()): Promise<ManifestSource> {
  if (argument !== '-') return { path: resolve(cwd, argument) };
  if (process.stdin.isTTY)
    throw new UsageError('there is nothing on standard input', 'Pipe the manifest in, or name its file.');
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return { text: Buffer.concat(pieces), name: 'stdin', base: cwd };
}

/** How a person sees it in messages. */
export function sourceName(source: ManifestSource): string {
  return 'path' in source ? basename(source.path) : 'standard input';
}

/** @throws UsageError for a value that isn't usable */
export async function readOptions(
  flags: ManifestFlags,
  settings: Settings,
  now: number = Date.now(),
): Promise<ReadOptions> {
  const { campaign, timezone, encoding, delimiter, strict, past } = flags;
  const giveUpAfterMs =
    flags.giveUpAfter === undefined ? undefined : durationFlag('--give-up-after', flags.giveUpAfter);
  const pace = await paceFlags(flags);
  return {
    ...given({ campaign, timezone, encoding, delimiter, strict, past }),
    platforms: settings.platforms,
    defaults: settings.defaults,
    now,
    settings: given({ late: flags.late, giveUpAfterMs, ambiguous: flags.ambiguous, repeat: flags.repeat, pace }),
    fallbackSettings: { ...settings.campaign, ...(settings.timezone === null ? {} : { timezone: settings.timezone }) },
  };
}

const PACE_FLAGS = {
  concurrency: 'concurrency',
  minGap: 'min_gap',
  maxPer: 'max_per',
  hours: 'hours',
  createsPerMinute: 'creates_per_minute',
  parkAfter: 'park_after',
  tolerate: 'tolerate',
  canary: 'canary',
} as const satisfies Partial<Record<keyof ManifestFlags, string>>;

async function paceFlags(flags: ManifestFlags): Promise<readonly PaceSettings[] | undefined> {
  const asked = Object.entries(PACE_FLAGS).filter(([flag]) => flags[flag as keyof ManifestFlags] !== undefined);
  if (asked.length === 0) return undefined;
  const [{ readPaceValue }, { PaceValueError }] = await Promise.all([
    import('../manifests/pace.js'),
    import('../manifests/pace-value-error.js'),
  ]);
  const layer: PaceSettings = {};
  for (const [flag, name] of asked) {
    try {
      Object.assign(layer, readPaceValue(name, flags[flag as keyof ManifestFlags]));
    } catch (error) {
      if (!(error instanceof PaceValueError)) throw error;
      throw new UsageError(`--${name.replaceAll('_', '-')} ${error.message}`);
    }
  }
  return [layer];
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without the fields that are undefined: what isn't given must not override anything. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
