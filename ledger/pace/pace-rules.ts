import { type PaceRules } from './pace';

/** Limits on how many rows may fail, or have to succeed first. */
export interface GuardRules {
  /** This many consecutive failed or rejected rows park a channel; 0: never. @default 5 */
  parkAfter?: number;
  /** One failure whose code or text contains one of these parks a channel at once. */
  parkOn?: readonly string[];
  /** The run, or a channel, stops if more rows than this fail. */
  tolerate?: Tolerance;
  /** Rows of each channel that have to succeed before its others are sent. */
  canary?: Canary;
}

/** The canary rows of each channel, and the share of them (0 to 1) that may fail. */
export interface Canary {
  rows: number;
  share: number;
}

/** A share of the rows that have ended (0 to 1; only from `sample` ended rows on), or a number of rows. */
export type Tolerance = { share: number; sample: number } | { rows: number };

/** Which channels a part of the rules applies to; an absent property matches every channel. */
export interface ChannelMatch {
  account?: string;
  /** Profile id or name. */
  profile?: string;
  /** Wire value or kind of the platform. */
  platform?: string;
}

/** The pace settings of one source: the config, the manifest, the flags of a command, or `set` for a run. */
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

/** Limits that are counted over all channels of an account. */
const ACCOUNT_LIMITS = ['createsPerSecond', 'createsPerMinute'] as const;

export interface ChannelRules extends PaceRules {
  parkAfter: number;
  parkOn?: readonly string[];
  tolerate?: Tolerance;
  canary?: Canary;
}

/**
 * The rules of a channel: later layers override earlier ones, and within a layer what names channels overrides what
 * doesn't.
 */
export function rulesOf(layers: readonly PaceLayer[], channel: ChannelNames): ChannelRules {
  const merged: PaceLayer = {};
  for (const { channels = [], ...general } of layers) {
    Object.assign(merged, general);
    for (const { match, ...special } of channels) if (fits(match, channel)) Object.assign(merged, special);
  }
  // These are counted over the account; a channel has its own caps.
  const own = Object.fromEntries(
    Object.entries(merged).filter(([limit]) => !(ACCOUNT_LIMITS as readonly string[]).includes(limit)),
  ) as PaceLayer;
  return { ...own, parkAfter: merged.parkAfter ?? DEFAULT_PARK_AFTER };
}

/** The rules of a whole account: everything that isn't about channels, each part on its own. */
export function accountRulesOf(layers: readonly PaceLayer[], account: string): PaceRules {
  const rules: PaceRules = {};
  for (const layer of layers) {
    const ofAccount = (layer.channels ?? []).filter(
      ({ match }) => match.account === account && match.profile === undefined && match.platform === undefined,
    );
    for (const source of [layer, ...ofAccount]) {
      for (const limit of ACCOUNT_LIMITS) {
        const count = source[limit];
        if (count !== undefined) rules[limit] = count;
      }
    }
  }
  return rules;
}

/** Whether rules are those of a whole account. */
export function isOfAccount(rules: PaceRules): boolean {
  return ACCOUNT_LIMITS.some((limit) => rules[limit] !== undefined);
}

/** The rules for a run as a whole. */
export function runTolerance(layers: readonly PaceLayer[]): Tolerance | undefined {
  let tolerance: Tolerance | undefined;
  for (const layer of layers) tolerance = layer.tolerate ?? tolerance;
  return tolerance;
}

/** Whether this many failures are more than the tolerance allows. */
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
