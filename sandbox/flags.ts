import { parseBehaviours } from './behaviours';
import { parseFaultText } from './faults/fault-text';
import { parseOpenChoices } from './faults/open-choices';
import { type SandboxOptions } from './options';
import { SandboxOptionError } from './problem';
import { type SandboxPlatforms } from './profiles';

/** Options as given on the command line, all as text. The key is not a flag: it is passed as `apiKey` of the options. */
export interface SandboxFlags {
  host?: string;
  port?: string;
  /** Folder of the state. */
  dir?: string;
  fsync?: boolean;
  profiles?: string;
  seed?: string;
  /** `300..1500`, `1s..3s`, or one time. */
  processing?: string;
  /** A share from 0 to 1, or a percentage. */
  failures?: string;
  /** Rules, see fault-text. */
  fault?: readonly string[];
  /** Names of behaviours, one or several with commas in each text. */
  behaviour?: readonly string[];
  /** Open choices, such as `echo-title` or `pending=goes-on`. */
  open?: readonly string[];
  /** Time between two foreign publications. */
  foreign?: string;
  /** Wire names, as `short=NAME`, `long=NAME`, `photo=NAME`. */
  platform?: readonly string[];
}

/**
 * Converts flags to options.
 * @throws SandboxOptionError naming the flag, its value and the valid values.
 */
export function optionsFromFlags(flags: SandboxFlags): SandboxOptions {
  const options: SandboxOptions = {};
  if (flags.host !== undefined) options.host = flags.host;
  if (flags.port !== undefined) options.port = wholeNumber('--port', flags.port);
  if (flags.dir !== undefined) options.dir = flags.dir;
  if (flags.fsync !== undefined) options.fsync = flags.fsync;
  if (flags.profiles !== undefined) options.profiles = wholeNumber('--profiles', flags.profiles);
  if (flags.seed !== undefined) options.seed = wholeNumber('--seed', flags.seed);
  const processing = {
    ...(flags.processing === undefined ? {} : range('--processing', flags.processing)),
    ...(flags.failures === undefined ? {} : { failureShare: share('--failures', flags.failures) }),
  };
  if (Object.keys(processing).length > 0) options.processing = processing;
  if (flags.fault !== undefined) options.faults = flags.fault.map((text) => parseFaultText(text));
  if (flags.behaviour !== undefined) options.behaviours = parseBehaviours(flags.behaviour);
  if (flags.open !== undefined) options.open = parseOpenChoices(flags.open);
  if (flags.foreign !== undefined) options.foreign = { everyMs: duration('--foreign', flags.foreign) };
  if (flags.platform !== undefined) options.platforms = platformNames(flags.platform);
  return options;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function duration(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|)$/.exec(text.trim());
  const unit = match === null ? undefined : UNITS[match[2] ?? ''];
  if (match === null || unit === undefined) throw wrong(flag, text, 'a time such as 300, 300ms, 2s or 1m');
  return Number(match[1]) * unit;
}

function range(flag: string, text: string): { minMs: number; maxMs: number } {
  const [min = '', max = min, ...more] = text.split('..');
  if (more.length > 0) throw wrong(flag, text, 'one time, or a range such as 300..1500 or 1s..3s');
  return { minMs: duration(flag, min), maxMs: duration(flag, max) };
}

function share(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  const value = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1);
  if (!(value <= 1)) throw wrong(flag, text, 'a share from 0 to 1, or a percentage up to 100%');
  return value;
}

function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text.trim())) throw wrong(flag, text, 'a whole number');
  return Number(text);
}

/** The first name for a role; further names are further platforms. */
function platformNames(texts: readonly string[]): Partial<SandboxPlatforms> {
  const names: Partial<Record<'short' | 'long' | 'photo', string>> = {};
  const more: Record<string, 'short' | 'long'> = {};
  for (const text of texts) {
    const match = /^(short|long|photo)=(\s*\S.*)$/.exec(text);
    const role = match?.[1] as 'short' | 'long' | 'photo' | undefined;
    const name = match?.[2];
    if (role === undefined || name === undefined)
      throw wrong('--platform', text, 'short=NAME, long=NAME or photo=NAME');
    if (role === 'photo' || names[role] === undefined) names[role] = name;
    else if (names[role] !== name) more[name] = role;
  }
  return Object.keys(more).length === 0 ? names : { ...names, more };
}

function wrong(flag: string, value: string, allowed: string): SandboxOptionError {
  return new SandboxOptionError(`${flag} can't be "${value}": it takes ${allowed}.`);
}
