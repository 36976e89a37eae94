import { type PaceRules } from './pace';

/** Limits on how many rows may fail, or have to be tried first. */
export interface GuardRules {
  /** This many ends in a row that failed or were rejected park a channel; 0: never. @default 5 */
  parkAfter?: number;
  /** One failure whose code or text has one of these in it parks a channel at once. */
  parkOn?: readonly string[];
  /** The run, or a channel, stops beyond so many failures. */
  tolerate?: Tolerance;
  /** Rows of each channel that have to end well before its others are sent. */
  canary?: Canary;
}

/** The first rows of each channel, and the share of them (0 to 1) that may fail. */
export interface Canary {
  rows: number;
  share: number;
}

/** A share of the rows that have ended (0 to 1; only from `sample` ended rows on), or a number of rows. */
export type Tolerance = { share: number; sample: number } | { rows: number };

/** Which channels a part of the rules is for; what is absent fits every channel. */
export interface ChannelMatch {
  account?: string;
  /** Profile id or name. */
  profile?: string;
  /** Wire value or kind of the platform. */
  platform?: string;
}

/** What one source says about pace: the config, the manifest, the flags of a command, or `set` for a run. */
export interface PaceLayer extends PaceRules, GuardRules {
  channels?: readonly (PaceRules & GuardRules & { match: ChannelMatch })[];
}

export interface ChannelNames {
  account: string;
  profileId: string | null;
  profileName: string | null;
  platform: string;
  platformKind: string;
}

export const DEFAULT_PARK_AFTER = 5;

export interface ChannelRules extends PaceRules {
  parkAfter: number;
  parkOn?: readonly string[];
  tolerate?: Tolerance;
  canary?: Canary;
}

/** The rules of a channel: later layers win over earlier ones, and within a layer what names channels over what doesn't. */
export function rulesOf(layers: readonly PaceLayer[], channel: ChannelNames): ChannelRules {
  const merged: PaceLayer = {};
  for (const { channels = [], ...general } of layers) {
    Object.assign(merged, general);
    for (const { match, ...special } of channels) if (fits(match, channel)) Object.assign(merged, special);
  }
  // Creates a minute are counted over the account; a channel has its own caps.
  delete merged.createsPerMinute;
  return { ...merged, parkAfter: merged.parkAfter ?? DEFAULT_PARK_AFTER };
}

/** The rules of a whole account: what isn't about channels is read as theirs, each for itself. */
export function accountRulesOf(layers: readonly PaceLayer[], account: string): PaceRules {
  let createsPerMinute: number | undefined;
  for (const layer of layers) {
    createsPerMinute = layer.createsPerMinute ?? createsPerMinute;
    for (const { match, createsPerMinute: special } of layer.channels ?? []) {
      const whole = match.profile === undefined && match.platform === undefined;
      if (whole && match.account === account) createsPerMinute = special ?? createsPerMinute;
    }
  }
  return createsPerMinute === undefined ? {} : { createsPerMinute };
}

/** What holds for a run as a whole. */
export function runTolerance(layers: readonly PaceLayer[]): Tolerance | undefined {
  let tolerance: Tolerance | undefined;
  for (const layer of layers) tolerance = layer.tolerate ?? tolerance;
  return tolerance;
}

/** Whether so many failures are more than is tolerated. */
export function exceeds(tolerance: Tolerance, seen: { failed: number; ended: number }): boolean {
  if ('rows' in tolerance) return seen.failed > tolerance.rows;
  return seen.ended >= tolerance.sample && seen.failed > tolerance.share * seen.ended;
}

function fits(match: ChannelMatch, channel: ChannelNames): boolean {
  const profiles = [channel.profileId, channel.profileName];
  const platforms = [channel.platform, channel.platformKind];
  return (
    (match.account === undefined || match.account === channel.account) &&
    (match.profile === undefined || profiles.some((name) => name !== null && same(name, match.profile ?? ''))) &&
    (match.platform === undefined || platforms.some((name) => same(name, match.platform ?? '')))
  );
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
