import { sql } from 'kysely';
import { hasShortCap, historyNeeded, isPaced, laterOf, type PaceRules, type Slot } from '../pace/pace';
import { accountRulesOf, type ChannelNames, type ChannelRules, type PaceLayer, rulesOf } from '../pace/pace-rules';
import { type Db, prepared } from '../engine/store';
import { type CampaignSettings } from '../model/types';

/** Rules with the creates that they count, oldest first. */
export interface PaceBook {
  rules: PaceRules;
  history: number[];
}

export interface ChannelPace {
  rules: ChannelRules;
  /** The channel's book and its account's; empty where nothing is limited. */
  books: PaceBook[];
  /** Creates open at once in the channel. */
  concurrency: number;
}

export interface PacedChannel {
  id: number;
  account: string;
  profile_id: string;
  platform: string;
  label: string;
}

const GRANTED_AHEAD_MS = 250;

/** A create that happened or may have happened takes a slot; one that certainly didn't gives it back. */
const TAKES_A_SLOT = sql<boolean>`(outcome is null or outcome in ('accepted', 'submitted') or (outcome = 'perhaps' and coalesce(settled_as, '') not in ('repeat', 'not-published')))`;

const channelHistory = prepared<{ channelId: number; limit: number }, { claimed_at: number }>((db, p) =>
  db
    .selectFrom('attempts')
    .select('claimed_at')
    .where('channel_id', '=', p.channelId)
    .where(TAKES_A_SLOT)
    .orderBy('claimed_at', 'desc')
    .limit(p.limit),
);

const accountHistory = prepared<{ account: string; limit: number }, { claimed_at: number }>((db, p) =>
  db
    .selectFrom('attempts')
    .select('claimed_at')
    .where('account', '=', p.account)
    .where(TAKES_A_SLOT)
    .orderBy('claimed_at', 'desc')
    .limit(p.limit),
);

const liveLayers = prepared<{ runId: number }, { layer: string }>((db, p) =>
  db.selectFrom('run_settings').select('layer').where('run_id', '=', p.runId).orderBy('since'),
);

/** What holds for a run: what its manifest was accepted with, and over it what `set` gave the run since (null: nothing). */
export async function layersOf(db: Db, settings: CampaignSettings, runId: number | null): Promise<PaceLayer[]> {
  const live = runId === null ? [] : await liveLayers(db, { runId });
  return [...(settings.pace ?? []), ...live.map(({ layer }) => JSON.parse(layer) as PaceLayer)];
}

/** The pace of a channel, with the history over all campaigns, runs and workers. Without rules it reads nothing. */
export async function paceFrom(
  db: Db,
  settings: CampaignSettings,
  layers: readonly PaceLayer[],
  channel: PacedChannel,
): Promise<ChannelPace> {
  const rules = rulesOf(layers, namesOf(channel));
  const books: PaceBook[] = [];
  if (isPaced(rules)) {
    const times = await channelHistory(db, { channelId: channel.id, limit: historyNeeded(rules) });
    books.push({ rules, history: oldestFirst(times) });
  }
  const ofAccount = accountRulesOf(layers, channel.account);
  if (isPaced(ofAccount)) {
    const times = await accountHistory(db, { account: channel.account, limit: historyNeeded(ofAccount) });
    books.push({ rules: ofAccount, history: oldestFirst(times) });
  }
  return { rules, books, concurrency: rules.concurrency ?? settings.channelConcurrency };
}

/**
 * How long (ms) before its slot a create may be claimed, to be sent at the slot. With several creates per second, the time
 * that a claim takes would otherwise come off every slot, and make the times differ at which creates arrive.
 */
export function grantedAhead(pace: ChannelPace): number {
  return pace.books.some(({ rules }) => hasShortCap(rules)) ? GRANTED_AHEAD_MS : 0;
}

/** When the channel's next create may be sent, for a row that is ready at `readyAt` (ms). */
export function nextOf(pace: ChannelPace, readyAt: number, now: number): Slot {
  return laterOf(pace.books, Math.max(readyAt, now));
}

/** A channel's label holds its profile's name and its platform's kind: `Garden · long`. */
export function namesOf(channel: PacedChannel): ChannelNames {
  const at = channel.label.lastIndexOf(' · ');
  return {
    account: channel.account,
    profileId: channel.profile_id === '' ? null : channel.profile_id,
    profileName: at < 0 ? null : channel.label.slice(0, at),
    platform: channel.platform,
    platformKind: at < 0 ? '' : channel.label.slice(at + 3),
  };
}

function oldestFirst(times: readonly { claimed_at: number }[]): number[] {
  return times.map((one) => one.claimed_at).reverse();
}
