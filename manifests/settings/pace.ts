import { parseDuration } from '../../wording/duration';
import { isTimeZone } from '../times/local-time';
import { zoneRule } from '../times/zone-hints';
import { type OpenSpan, readSpans } from './open-spans';
import { PaceValueError } from './pace-value-error';
import { showValue } from '../text';

/** Pace and failure policy as given by a manifest, the config or flags; durations in ms, shares from 0 to 1. */
export interface PaceValues {
  concurrency?: number;
  minGapMs?: number;
  jitter?: number;
  /** With a zone: per day of its calendar. An empty zone means the manifest's. */
  maxPer?: readonly { count: number; windowMs: number; zone?: string }[];
  /** The same. */
  hours?: { zone: string; spans: readonly OpenSpan[] };
  createsPerSecond?: number;
  createsPerMinute?: number;
  parkAfter?: number;
  parkOn?: readonly string[];
  tolerate?: { share: number; sample: number } | { rows: number };
  canary?: { rows: number; share: number };
}

export interface PaceSettings extends PaceValues {
  channels?: readonly (PaceValues & { match: { account?: string; profile?: string; platform?: string } })[];
}

/** Minimum number of ended rows before a share of failures is meaningful. */
export const TOLERANCE_SAMPLE = 20;

const MAX_COUNT = 10_000;

/** How each name under `pace` is read; the same for a manifest, a flag and `reelay set`. */
const READERS: Readonly<Record<string, (value: unknown) => PaceValues>> = {
  concurrency: (value) => ({ concurrency: whole(value, 1, 64) }),
  min_gap: (value) => ({ minGapMs: duration(value) }),
  jitter: (value) => ({ jitter: share(value, 'must be a share such as 10%, or 0% for none') }),
  max_per: (value) => ({ maxPer: (Array.isArray(value) ? value : splitList(value)).map(cap) }),
  hours: (value) => ({ hours: { zone: '', spans: readSpans(value) } }),
  creates_per_second: (value) => ({ createsPerSecond: whole(value, 1, MAX_COUNT) }),
  creates_per_minute: (value) => ({ createsPerMinute: whole(value, 1, MAX_COUNT) }),
  park_after: (value) => ({ parkAfter: whole(value, 0, MAX_COUNT) }),
  park_on: (value) => ({ parkOn: texts(value) }),
  tolerate: (value) => ({ tolerate: tolerance(value) }),
  canary: (value) => ({ canary: canary(value) }),
};

export const PACE_NAMES: readonly string[] = Object.keys(READERS);

/** Reads one value by its name. @throws PaceValueError */
export function readPaceValue(name: string, value: unknown): PaceValues {
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (reader === undefined) throw new PaceValueError(`has no “${showValue(name)}”; it has ${PACE_NAMES.join(', ')}`);
  return reader(value);
}

/** Reads the settings under `pace`. @throws PaceValueError naming what is wrong */
export function readPace(value: unknown): PaceSettings {
  if (!isRecord(value)) throw new PaceValueError('must be a mapping such as min_gap: 10m');
  const { channels, ...general } = value;
  if (channels === undefined) return readValues(general);
  if (!Array.isArray(channels)) throw new PaceValueError('channels must be a list');
  return { ...readValues(general), channels: channels.map(readChannel) };
}

function readChannel(value: unknown): NonNullable<PaceSettings['channels']>[number] {
  if (!isRecord(value)) throw new PaceValueError('channels must be a list of mappings with profile or platform');
  const { account, profile, platform, ...values } = value;
  const match: { account?: string; profile?: string; platform?: string } = {};
  for (const [name, named] of Object.entries({ account, profile, platform })) {
    if (named === undefined || named === null) continue;
    if (typeof named !== 'string' || named.trim() === '') throw new PaceValueError(`channels: ${name} must be a name`);
    match[name as 'account'] = named.trim();
  }
  if (Object.keys(match).length === 0) {
    throw new PaceValueError('channels: each needs a profile, a platform or an account');
  }
  return { ...readValues(values), match };
}

function readValues(record: Record<string, unknown>): PaceValues {
  const { timezone, ...values } = record;
  const read: PaceValues = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue;
    try {
      Object.assign(read, readPaceValue(name, value));
    } catch (error) {
      if (!(error instanceof PaceValueError) || !Object.hasOwn(READERS, name)) throw error;
      throw new PaceValueError(`${name} ${error.message}`);
    }
  }
  if (timezone !== undefined && timezone !== null) {
    if (typeof timezone !== 'string' || !isTimeZone(timezone)) {
      throw new PaceValueError(`timezone ${zoneRule(timezone)}`);
    }
    return inZone(read, timezone);
  }
  return read;
}

/** Gives hours and days without a zone the manifest's; null if they need a zone and there is none. */
export function withZone(settings: PaceSettings, zone: string | undefined): PaceSettings | null {
  const { channels, ...general } = settings;
  if (zone === undefined) return [general, ...(channels ?? [])].some(needsZone) ? null : settings;
  return {
    ...inZone(general, zone),
    ...(channels === undefined ? {} : { channels: channels.map((channel) => inZone(channel, zone)) }),
  };
}

function needsZone({ hours, maxPer = [] }: PaceValues): boolean {
  return hours?.zone === '' || maxPer.some((cap) => cap.zone === '');
}

function inZone<T extends PaceValues>(values: T, zone: string): T {
  const { hours, maxPer } = values;
  return {
    ...values,
    ...(hours?.zone === '' ? { hours: { ...hours, zone } } : {}),
    ...(maxPer === undefined ? {} : { maxPer: maxPer.map((cap) => (cap.zone === '' ? { ...cap, zone } : cap)) }),
  };
}

function whole(value: unknown, least: number, most: number): number {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value.trim() || NaN) : NaN;
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new PaceValueError(`must be a whole number from ${least} to ${most}`);
}

function duration(value: unknown): number {
  if (value === 0 || (typeof value === 'string' && /^\s*0(?:\s*(?:ms|[smhd]))?\s*$/i.test(value))) return 0;
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms === undefined) throw new PaceValueError('must be a duration such as 90s, 10m or 2h');
  return ms;
}

function share(value: unknown, otherwise: string): number {
  const percent = typeof value === 'string' ? /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(value.trim())?.[1] : undefined;
  const read = percent === undefined ? NaN : Number(percent) / 100;
  if (read >= 0 && read <= 1) return read;
  throw new PaceValueError(otherwise);
}

function splitList(value: unknown): unknown[] {
  return typeof value === 'string' ? value.split(',') : [value];
}

/** Units written out: `5 per hour`, `20 per 30 minutes`. */
const UNITS = /(?<![a-z])(?:seconds?|minutes?|hours?|days?)(?![a-z])/gi;

/** `15 per day`: a day of the calendar, while `15 per 24h` is any period of that length. */
const PER_DAY = /^\s*(\d{1,5})\s*(?:per|\/)\s*(?:calendar\s+)?day\s*$/i;

function cap(value: unknown): NonNullable<PaceValues['maxPer']>[number] {
  const perDay = typeof value === 'string' ? PER_DAY.exec(value)?.[1] : undefined;
  if (perDay !== undefined) return { count: whole(perDay, 1, MAX_COUNT), windowMs: 86_400_000, zone: '' };
  const text = typeof value === 'string' ? value.replace(UNITS, (unit) => unit.charAt(0)) : '';
  const found = /^\s*(\d{1,5})\s*(?:per|\/)\s*(\d[\d.smhd\s]*|[smhd]\s*)$/i.exec(text);
  const [, count = '', window = ''] = found ?? [];
  const windowMs = parseDuration(/^\d/.test(window) ? window : `1${window}`);
  if (found === null || windowMs === undefined)
    throw new PaceValueError('must be such as 15 per 24h, 5 per hour or 1 per day, or a list of those');
  return { count: whole(count, 1, MAX_COUNT), windowMs };
}

function tolerance(value: unknown): NonNullable<PaceValues['tolerate']> {
  const record = isRecord(value) ? value : { failures: value };
  const { failures, sample, ...others } = record;
  const wrong = 'must be such as 5%, or a number of rows, or {failures: 5%, sample: 20}';
  if (Object.keys(others).length > 0) throw new PaceValueError(wrong);
  if (typeof failures === 'string' && failures.includes('%')) {
    return {
      share: share(failures, wrong),
      sample: sample === undefined ? TOLERANCE_SAMPLE : whole(sample, 1, 1_000_000),
    };
  }
  try {
    return { rows: whole(failures, 0, 1_000_000) };
  } catch {
    throw new PaceValueError(wrong);
  }
}

function canary(value: unknown): NonNullable<PaceValues['canary']> {
  const { rows, failures, ...others } = isRecord(value) ? value : { rows: value };
  if (Object.keys(others).length > 0) throw new PaceValueError('must be such as 3, or {rows: 3, failures: 0%}');
  return {
    rows: whole(rows, 0, MAX_COUNT),
    share: failures === undefined ? 0 : share(failures, 'must have failures such as 10%'),
  };
}

function texts(value: unknown): string[] {
  const found = (Array.isArray(value) ? (value as unknown[]) : splitList(value)).map((one) =>
    typeof one === 'string' || typeof one === 'number' ? String(one).trim() : '',
  );
  if (found.length > 0 && found.every((text) => text !== '')) return found;
  throw new PaceValueError('must be codes or texts such as http-410, or a list of those');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
