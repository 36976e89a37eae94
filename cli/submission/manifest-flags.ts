import { basename, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { type PaceSettings } from '../../manifests/settings/pace';
import { type ConfiguredReading } from '../../ledger/model/submission-types';
import { type CorrectedManifest, type FieldDefaults, type ReadOptions, type RemoteTrust } from '../../manifests/types';
import { collect } from '../command';
import { durationFlag } from '../terminal/texts/durations';
import { ExitError, UsageError } from '../errors/errors';
import { EXIT } from '../errors/exit-codes';
import { demandConfigBeside } from '../config/config-beside';
import { type Settings } from '../config/settings';

/** Flags that set how a manifest is read; settings given as flags override the manifest's own. */
export interface ManifestFlags {
  campaign?: string;
  account?: string;
  timezone?: string;
  dateFormat?: string;
  column?: string[];
  default?: string[];
  base?: string;
  encoding?: string;
  delimiter?: string;
  sheet?: string;
  strict?: boolean;
  past?: 'refuse' | 'now' | 'skip';
  late?: 'publish' | 'hold' | 'skip';
  giveUpAfter?: string;
  ambiguous?: 'reconcile' | 'hold';
  repeat?: 'refuse' | 'allow' | 'every-run';
  template?: boolean;
  missing?: string;
  concurrency?: string;
  minGap?: string;
  maxPer?: string[];
  hours?: string[];
  createsPerSecond?: string;
  createsPerMinute?: string;
  parkAfter?: string;
  tolerate?: string;
  canary?: string;
}

/** A manifest by its path, from standard input, or from a URL. */
export type ManifestSource =
  | { path: string }
  | {
      text: Buffer;
      name: string;
      base: string;
      /** Of one that came from a URL. */ url?: string;
      remote?: RemoteTrust;
    };

export function addManifestFlags(command: Command): Command {
  return command
    .option('--campaign <name>', 'campaign name (default: set in the manifest, otherwise the file’s name)')
    .option('--account <name>', 'account for rows that don’t name one (REELAY_ACCOUNT)')
    .option('--timezone <zone>', 'zone of local times, such as Europe/Berlin')
    .option('--date-format <format>', 'format of times that aren’t ISO 8601, such as "MM/DD/YYYY h:mm A"')
    .option(
      '--column <header=field>',
      'map a column to a field, to several joined by +, or to ignore (repeatable)',
      collect,
    )
    .option('--default <field=value>', 'a default for rows that leave the field blank (repeatable)', collect)
    .option(
      '--base <folder>',
      'folder of relative paths, for a manifest on standard input (default: the current folder)',
    )
    .option('--encoding <name>', 'encoding of a manifest that is not UTF-8, such as windows-1252')
    .option('--delimiter <char>', 'delimiter of a CSV: , ; tab or |')
    .option(
      '--sheet <name>',
      'sheet of an .xlsx workbook (default: “To correct” in a workbook of results, otherwise the first visible one)',
    )
    .option('--strict', 'treat warnings as errors')
    .addOption(
      new Option('--past <what>', 'what to do with a publish_at in the past').choices(['refuse', 'now', 'skip']),
    )
    .addOption(
      new Option('--late <what>', 'what to do with a publish_at missed by more than 1 h').choices([
        'publish',
        'hold',
        'skip',
      ]),
    )
    .option('--give-up-after <duration>', 'how long a publication may take before it is overdue, such as 24h')
    .addOption(
      new Option('--ambiguous <what>', 'what to do when the answer to a create was lost').choices([
        'reconcile',
        'hold',
      ]),
    )
    .addOption(
      new Option(
        '--repeat <what>',
        'what to do with a source that another campaign, or another row, sends to the same channel; every-run: see schedules',
      ).choices(['refuse', 'allow', 'every-run']),
    )
    .option('--template', 'fill in placeholders such as {date:…} in source, title and key, from the nominal date')
    .option('--missing <what>', 'what to do if a file doesn’t exist yet: fail, skip, or "wait 2h" (only firings wait)')
    .option('--concurrency <n>', 'pace: maximum number of creates open at once in a channel')
    .option('--min-gap <duration>', 'pace: minimum time between two creates of a channel, such as 10m')
    .option('--max-per <cap>', 'pace: maximum number sent per period, such as "15 per 24h" (repeatable)', collect)
    .option(
      '--hours <span>',
      'pace: local hours in which rows are sent, such as "Mon-Fri 09:00-21:00" (repeatable)',
      collect,
    )
    .option('--creates-per-second <n>', 'pace: maximum number of creates per second for an account')
    .option('--creates-per-minute <n>', 'pace: maximum number of creates per minute for an account')
    .option('--park-after <n>', 'park a channel after this many consecutive failures (0: never)')
    .option('--tolerate <failures>', 'stop when more rows than this fail, such as 5% or 10')
    .option('--canary <rows>', 'number of rows of each channel to send first; the rest follow when these succeed');
}

/**
 * `-` is standard input; its relative paths start at `base`, otherwise at the current folder. A URL is read at once, by
 * the same rules as a schedule's.
 */
export async function manifestSource(
  argument: string,
  base: string | undefined,
  settings: Pick<Settings, 'privateHosts' | 'configPath' | 'configNamed'>,
): Promise<ManifestSource> {
  if (argument !== '-') {
    if (base === undefined) {
      if (isUrl(argument)) return manifestFromUrl(argument, settings.privateHosts);
      const path = resolve(argument);
      await demandConfigBeside(path, settings);
      return { path };
    }
    throw new UsageError(
      '--base is for a manifest on standard input',
      'Paths in a manifest’s file start at its own folder: leave --base out.',
    );
  }
  if (process.stdin.isTTY)
    throw new UsageError('there is nothing on standard input', 'Pipe the manifest in, or name its file.');
  const { MAX_MANIFEST_BYTES } = await import('../../manifests/parse/load-file.js');
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    // The reader would refuse it by its size, but an endless input would never get there.
    if (size > MAX_MANIFEST_BYTES) break;
  }
  return { text: Buffer.concat(pieces), name: 'stdin', base: resolve(base ?? '.') };
}

function isUrl(argument: string): boolean {
  return /^https?:\/\//i.test(argument);
}

/** @throws ExitError if it can’t be read */
async function manifestFromUrl(url: string, privateHosts: readonly string[]): Promise<ManifestSource> {
  if (!URL.canParse(url)) throw new UsageError('the manifest’s URL can’t be read');
  const { loadPlace, ManifestUnreachableError } = await import('../../activities/schedules/manifest-place.js');
  try {
    const source = await loadPlace({ kind: 'url', url, base: process.cwd() }, privateHosts);
    return 'path' in source ? source : { ...source, url };
  } catch (error) {
    if (error instanceof ManifestUnreachableError)
      throw new ExitError('manifest-unreachable', error.message, EXIT.refused, error.hint);
    // Another try may well succeed.
    const { message } = error as Error;
    throw new ExitError(
      'manifest-unreachable',
      message,
      EXIT.unreachable,
      'Try again, or download the file and give its path.',
    );
  }
}

/** The manifest's name in messages. A URL’s query may be a signature. */
export function sourceName(source: ManifestSource): string {
  if ('path' in source) return basename(source.path);
  return source.url === undefined ? 'standard input' : source.url.replace(/[?#].*$/s, '');
}

/** @throws UsageError for a value that isn't usable */
export async function readOptions(
  flags: ManifestFlags,
  settings: Settings,
  now: number = Date.now(),
): Promise<ReadOptions> {
  const { campaign, timezone, encoding, delimiter, sheet, strict, past } = flags;
  const giveUpAfterMs =
    flags.giveUpAfter === undefined ? undefined : durationFlag('--give-up-after', flags.giveUpAfter);
  const pace = await paceFlags(flags);
  return {
    ...given({ campaign, timezone, encoding, delimiter, sheet, strict, past }),
    ...(flags.column === undefined ? {} : { requiredColumns: Object.keys(columnFlags(flags.column)) }),
    ...(flags.default === undefined ? {} : { givenDefaults: defaultFlags(flags.default) }),
    platforms: settings.platforms,
    defaults: settings.defaults,
    ...accountOptions(flags, settings),
    ...((await hasRealService(settings)) ? { realService: true } : {}),
    now,
    settings: given({
      late: flags.late,
      giveUpAfterMs,
      ambiguous: flags.ambiguous,
      repeat: flags.repeat,
      template: flags.template,
      missing: flags.missing === undefined ? undefined : await missingFlag(flags.missing),
      pace,
      dateFormat: flags.dateFormat,
      columns: flags.column === undefined ? undefined : columnFlags(flags.column),
    }),
    fallbackSettings: configured(settings).settings,
    corrected: (campaign) => correctedManifest(settings, campaign),
  };
}

/** How the config says to read every manifest. */
export function configured({ campaign, timezone, defaults }: Settings) {
  return { settings: { ...campaign, ...(timezone === null ? {} : { timezone }) }, defaults };
}

/** How the campaign's manifest was read when it was submitted last. */
async function correctedManifest(settings: Settings, campaign: string): Promise<CorrectedManifest | null> {
  const [{ mayExist }, { openForReading }, { flagsOf }] = await Promise.all([
    import('../../ledger/model/location.js'),
    import('../stack/engine.js'),
    import('./given-flags.js'),
  ]);
  if (!mayExist(settings.ledger)) return null;
  const ledger = await openForReading(settings);
  try {
    const found = await ledger.correctedManifest(campaign);
    if (found === null) return null;
    const { yaml, given, config } = found;
    // The sheet may be given from a folder where that config isn't found; the same one may have been edited since.
    const isOther = !settings.configNamed && config !== settings.configPath;
    return {
      yaml,
      ...(isOther && found.configured !== null ? { configured: readingOf(found.configured) } : {}),
      options: await readOptions(flagsOf(given), settings),
    };
  } finally {
    await ledger.close();
  }
}

function readingOf({ settings, defaults }: ConfiguredReading): NonNullable<CorrectedManifest['configured']> {
  // The ledger has them as JSON.
  return { fallbackSettings: settings, defaults: defaults as FieldDefaults };
}

/** An account's address is one where something is really published: not in the sandbox, on this machine, or an example’s. */
async function hasRealService({ sandbox, accounts }: Settings): Promise<boolean> {
  if (sandbox) return false;
  const { isReservedHost } = await import('../../manifests/checks/source/check-placeholders.js');
  return accounts.some((account) => {
    try {
      const { hostname } = new URL(account.baseUrl());
      return !/^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname) && !isReservedHost(hostname);
    } catch {
      // Without an address nothing can be sent; code that needs it reports that.
      return false;
    }
  });
}

/** The configured settings of the accounts, by name. */
function accountOptions(flags: ManifestFlags, settings: Settings) {
  const { accounts, account: fallbackAccount } = settings;
  return {
    ...given({ account: flags.account }),
    fallbackAccount,
    accountDefaults: Object.fromEntries(accounts.map(({ name, defaults }) => [name, defaults])),
    accountPlatforms: Object.fromEntries(accounts.map(({ name, platforms }) => [name, platforms])),
  };
}

const PACE_FLAGS = {
  concurrency: 'concurrency',
  minGap: 'min_gap',
  maxPer: 'max_per',
  hours: 'hours',
  createsPerSecond: 'creates_per_second',
  createsPerMinute: 'creates_per_minute',
  parkAfter: 'park_after',
  tolerate: 'tolerate',
  canary: 'canary',
} as const satisfies Partial<Record<keyof ManifestFlags, string>>;

async function paceFlags(flags: ManifestFlags): Promise<readonly PaceSettings[] | undefined> {
  const asked = Object.entries(PACE_FLAGS).filter(([flag]) => flags[flag as keyof ManifestFlags] !== undefined);
  if (asked.length === 0) return undefined;
  const [{ readPaceValue }, { PaceValueError }] = await Promise.all([
    import('../../manifests/settings/pace.js'),
    import('../../manifests/settings/pace-value-error.js'),
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

/** @throws UsageError */
async function missingFlag(text: string) {
  const { parseMissing } = await import('../../manifests/settings/missing-files.js');
  const missing = parseMissing(text);
  if (missing !== undefined) return missing;
  throw new UsageError(
    `--missing: “${text}” is not fail, skip or wait with a duration`,
    'For example --missing "wait 2h".',
  );
}

/** @throws UsageError */
function columnFlags(pairs: readonly string[]): Record<string, string> {
  const wrong = (pair: string) =>
    new UsageError(`--column takes HEADER=FIELD, not “${pair}”`, 'For example --column Clip=source.');
  // A header may contain a “=”, but no field does.
  return splitPairs(pairs, (pair) => pair.lastIndexOf('='), wrong);
}

/** @throws UsageError */
function defaultFlags(pairs: readonly string[]): Record<string, string> {
  const wrong = (pair: string) =>
    new UsageError(`--default takes FIELD=VALUE, not “${pair}”`, 'For example --default privacy=public.');
  return splitPairs(pairs, (pair) => pair.indexOf('='), wrong);
}

/** @throws what `wrong` gives for a pair without one of its parts */
function splitPairs(
  pairs: readonly string[],
  separator: (pair: string) => number,
  wrong: (pair: string) => UsageError,
): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = separator(pair);
      if (at > 0 && at < pair.length - 1) return [pair.slice(0, at), pair.slice(at + 1)];
      throw wrong(pair);
    }),
  );
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without undefined fields: a flag that isn't given must not override anything. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
