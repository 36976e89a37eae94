import { type BehaviourName, combine } from './behaviours';
import { type FaultRule } from './faults/fault-rules';
import { OPEN_DEFAULTS, type OpenChoices } from './faults/open-choices';
import { SandboxOptionError } from './problem';
import {
  type AdoptedProfile,
  type SandboxPlatforms,
  type SandboxProfile,
  defaultProfiles,
  withAdopted,
} from './profiles';

/** How long the background upload takes and how often it fails. */
export interface ProcessingOptions {
  /** Shortest and longest time from acceptance to the end, in ms. @default 300 and 1500 */
  minMs: number;
  maxMs: number;
  /** Share of publications that end as `failed`, 0 to 1. @default 0 */
  failureShare: number;
}

/** Another client on the same account, which publishes independently. */
export interface InjectedOptions {
  /** Time between two publications, in ms. */
  everyMs: number;
  /** Stops after this many. @default unlimited */
  times?: number;
  /** @default 'Foreign N' */
  title?: string;
}

export interface SandboxOptions {
  /** @default '127.0.0.1' */
  host?: string;
  /** 0 chooses a free one. @default 0 */
  port?: number;
  /** The only valid key. @default 'sandbox-key' */
  apiKey?: string;
  /** Folder of the state and of `creates.log`. @default none: memory only */
  dir?: string;
  /** Answers only after the log is on disk, not just written. @default false */
  fsync?: boolean;
  /** Number of profiles (1 to 100), or the profiles themselves. @default 3 */
  profiles?: number | readonly SandboxProfile[];
  /** The current profiles of a real service, in addition: asked for whenever profiles are listed. @default none */
  adopted?: () => readonly AdoptedProfile[];
  /** Wire names of the platforms. @default platform_a (short), platform_b (long), platform_c (photo) */
  platforms?: Partial<SandboxPlatforms>;
  processing?: Partial<ProcessingOptions>;
  /** Makes outcomes, times and shares repeatable. @default 1 */
  seed?: number;
  /** Named behaviours; `open` and `faults` add to them. */
  behaviours?: readonly BehaviourName[];
  /** What the interface leaves open. */
  open?: Partial<OpenChoices>;
  /** Rules as data or as text, see fault-rules and fault-text. */
  faults?: readonly (FaultRule | string)[];
  foreign?: InjectedOptions;
  /** Stores the sha256 of each uploaded video. @default false */
  hash?: boolean;
  /** Largest video of a direct publish, in bytes (section 8). @default 500 MB, decimal */
  directMaxBytes?: number;
  /** Creates and direct publishes within any second; those beyond it are answered 429 with `Retry-After: 1`. @default no limit */
  createsPerSecond?: number;
}

/** The options with every default applied. */
export interface ResolvedOptions {
  host: string;
  port: number;
  apiKey: string;
  dir: string | undefined;
  fsync: boolean;
  /** The current ones, at least one. */
  profiles: () => readonly SandboxProfile[];
  platforms: SandboxPlatforms;
  processing: ProcessingOptions;
  seed: number;
  open: OpenChoices;
  faults: readonly (FaultRule | string)[];
  foreign: InjectedOptions | undefined;
  hash: boolean;
  directMaxBytes: number;
  createsPerSecond: number | undefined;
}

/**
 * Applies the defaults.
 *
 * @throws SandboxOptionError naming the option, its value and what is allowed.
 */
export function resolveOptions(options: SandboxOptions): ResolvedOptions {
  const platforms = { short: 'platform_a', long: 'platform_b', photo: 'platform_c', ...options.platforms };
  const processing = { minMs: 300, maxMs: 1500, failureShare: 0, ...options.processing };
  const port = options.port ?? 0;
  const apiKey = options.apiKey ?? 'sandbox-key';
  const { profiles = 3 } = options;
  demand(Number.isInteger(port) && port >= 0 && port <= 65535, 'port', port, 'a whole number from 0 to 65535');
  demand(apiKey.trim() !== '', 'apiKey', '', 'a text that is not blank');
  const names = [platforms.short, platforms.long, platforms.photo, ...Object.keys(platforms.more ?? {})];
  demand(new Set(names).size === names.length, 'platforms', JSON.stringify(platforms), 'three different names or more');
  const { minMs, maxMs, failureShare } = processing;
  demand(minMs >= 0 && minMs <= maxMs, 'processing', `${minMs}..${maxMs}`, 'a range MIN..MAX in ms with MIN up to MAX');
  demand(failureShare >= 0 && failureShare <= 1, 'processing.failureShare', failureShare, 'a share from 0 to 1');
  const count = typeof profiles === 'number' ? profiles : profiles.length;
  demand(Number.isInteger(count) && count >= 1 && count <= 100, 'profiles', count, 'from 1 to 100 of them (section 8)');
  const own = typeof profiles === 'number' ? defaultProfiles(profiles, platforms) : profiles;
  const { createsPerSecond = 1 } = options;
  demand(
    Number.isInteger(createsPerSecond) && createsPerSecond >= 1,
    'createsPerSecond',
    createsPerSecond,
    'a whole number from 1 on',
  );
  const behaviour = combine(options.behaviours ?? []);
  const everyMs = options.foreign?.everyMs;
  demand(everyMs === undefined || everyMs >= 1, 'foreign.everyMs', everyMs ?? '', 'a time of at least 1 ms');
  return {
    host: options.host ?? '127.0.0.1',
    port,
    apiKey,
    dir: options.dir,
    fsync: options.fsync ?? false,
    profiles: () => withAdopted(options.adopted?.() ?? [], own),
    platforms,
    processing,
    seed: options.seed ?? 1,
    open: { ...OPEN_DEFAULTS, ...behaviour.open, ...options.open },
    faults: [...behaviour.faults, ...(options.faults ?? [])],
    foreign: options.foreign,
    hash: options.hash ?? false,
    directMaxBytes: options.directMaxBytes ?? 500_000_000,
    createsPerSecond: options.createsPerSecond,
  };
}

function demand(holds: boolean, option: string, value: string | number, allowed: string): void {
  if (!holds) throw new SandboxOptionError(`Sandbox option "${option}" can't be "${value}": it takes ${allowed}.`);
}
