import { sql } from 'kysely';
import {
  historyNeeded,
  isPaced,
  laterOf,
  type PaceRules,
  type ScopedCap,
  shortCapsOf,
  type Slot,
  withoutShortCaps,
} from '../pace/pace';
import { accountRulesOf, type ChannelNames, type ChannelRules, type PaceLayer, rulesOf } from '../pace/pace-rules';
import { type Db, prepared } from '../engine/store';
import { type CampaignSettings } from '../model/types';

/** Rules with the creates that they count, oldest first. */
export interface PaceBook {
  /** The scope that it counts: `account:cafe`, `channel:7`. */
  scope: string;
  rules: PaceRules;
  history: number[];
  /** The newest create in the history that another worker claimed; -Infinity: none. */
  othersAt: number;
}

export interface ChannelPace {
  rules: ChannelRules;
  /** The channel's history and its account's; empty where nothing is limited. */
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

/**
 * How long (ms) before its slot a create may be claimed, if only one process sends: that process delays the request
 * itself.
 */
const CLAIMED_AHEAD_MS = 1_000;

/** A create that happened or may have happened uses a slot; one that certainly didn't returns it. */
const TAKES_A_SLOT = sql<boolean>`(outcome is null or outcome in ('accepted', 'submitted') or (outcome = 'unknown' and coalesce(settled_as, '') not in ('repeat', 'not-published')))`;

interface Claimed {
  claimed_at: number;
  worker_id: string;
}

const channelHistory = prepared<{ channelId: number; limit: number }, Claimed>((db, p) =>
  db
    .selectFrom('attempts')
    .select(['claimed_at', 'worker_id'])
    .where('channel_id', '=', p.channelId)
    .where(TAKES_A_SLOT)
    .orderBy('claimed_at', 'desc')
    .limit(p.limit),
);

const accountHistory = prepared<{ account: string; limit: number }, Claimed>((db, p) =>
  db
    .selectFrom('attempts')
    .select(['claimed_at', 'worker_id'])
    .where('account', '=', p.account)
    .where(TAKES_A_SLOT)
    .orderBy('claimed_at', 'desc')
    .limit(p.limit),
);

const liveLayers = prepared<{ runId: number }, { layer: string }>((db, p) =>
  db.selectFrom('run_settings').select('layer').where('run_id', '=', p.runId).orderBy('since'),
);

/**
 * The settings of a run: those that its manifest was accepted with, overridden by those that `set` gave the run since
 * (null: none).
 */
export async function layersOf(db: Db, settings: CampaignSettings, runId: number | null): Promise<PaceLayer[]> {
  const live = runId === null ? [] : await liveLayers(db, { runId });
  return [...(settings.pace ?? []), ...live.map(({ layer }) => JSON.parse(layer) as PaceLayer)];
}

/**
 * The pace of a channel, with the history across all campaigns, runs and workers. Without rules it reads nothing.
 * `worker`: the worker that wants to send, to know whether any other does too.
 */
export async function paceFrom(
  db: Db,
  settings: CampaignSettings,
  layers: readonly PaceLayer[],
  channel: PacedChannel,
  worker = '',
): Promise<ChannelPace> {
  const rules = rulesOf(layers, namesOf(channel));
  const books: PaceBook[] = [];
  if (isPaced(rules)) {
    const times = await channelHistory(db, { channelId: channel.id, limit: historyNeeded(rules) });
    books.push({ scope: `channel:${channel.id}`, rules, ...historyOf(times, worker) });
  }
  const ofAccount = accountRulesOf(layers, channel.account);
  if (isPaced(ofAccount)) {
    const times = await accountHistory(db, { account: channel.account, limit: historyNeeded(ofAccount) });
    books.push({ scope: `account:${channel.account}`, rules: ofAccount, ...historyOf(times, worker) });
  }
  return { rules, books, concurrency: rules.concurrency ?? settings.channelConcurrency };
}

/**
 * The slot of a create that is to be claimed, and from when it may be claimed. If only one process has sent lately, it
 * claims slightly ahead: otherwise the time that a claim takes would be lost from every slot of a rate of several per
 * second.
 */
export function claimSlot(pace: ChannelPace, readyAt: number, now: number): Slot & { claimableAt: number } {
  const from = Math.max(readyAt, now);
  const alone = pace.books.every((book) => isAlone(book, now));
  const slot = laterOf(pace.books, from, alone);
  if (!alone || slot.at <= now) return { ...slot, claimableAt: slot.at };
  const others = pace.books.map(({ rules, history }) => ({ rules: withoutShortCaps(rules), history }));
  return { ...slot, claimableAt: Math.max(laterOf(others, from).at, slot.at - CLAIMED_AHEAD_MS) };
}

/** The caps that the sending process enforces too, by the times at which its requests are actually sent. */
export function shortCaps(pace: ChannelPace): ScopedCap[] {
  return pace.books.flatMap(({ scope, rules }) => shortCapsOf(rules).map((cap) => ({ scope, ...cap })));
}

function isAlone({ rules, othersAt }: PaceBook, now: number): boolean {
  return shortCapsOf(rules).every(({ windowMs }) => othersAt < now - 2 * windowMs);
}

/** When the channel's next create may be sent, for a row that is ready at `readyAt` (ms). */
export function nextOf(pace: ChannelPace, readyAt: number, now: number): Slot {
  return laterOf(pace.books, Math.max(readyAt, now));
}

/** A channel's label consists of its profile's name and its platform's kind: `Garden · long`. */
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

function historyOf(newestFirst: readonly Claimed[], worker: string): Pick<PaceBook, 'history' | 'othersAt'> {
  const others = newestFirst.find(({ worker_id }) => worker_id !== worker);
  return {
    history: newestFirst.map((one) => one.claimed_at).reverse(),
    othersAt: others?.claimed_at ?? -Infinity,
  };
}
