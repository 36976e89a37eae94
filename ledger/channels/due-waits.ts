import { canaryOf } from './canary';
import { type Slot } from '../pace/pace';
import { type ChannelPace } from './pacing';
import { type RunRecord } from '../runs/read-run';
import { shownSnapshot } from '../runs/runs';
import { settingsOf } from '../rows/snapshots';
import { type Db, prepared, type Store } from '../engine/store';

/**
 * Number of the newest attempts of a channel that are checked for a requested wait: few follow it, because no new
 * create begins.
 */
const NEWEST = 32;
const DAY_MS = 24 * 3600 * 1000;

/** The service's answer after which a create that certainly didn't happen waits until a given time. */
const THROTTLED = 'http-429';

interface Newest {
  outcome: string | null;
  code: string | null;
  number: number;
  not_before: number | null;
  state: string;
  attempts: number;
  ready_at: number;
}

const newestAttempts = prepared<{ runId: number; channelId: number; since: number }, Newest>((db, p) =>
  db
    .selectFrom('attempts')
    .innerJoin('rows', 'rows.id', 'attempts.row_id')
    .select(['attempts.outcome', 'attempts.code', 'attempts.number', 'attempts.not_before'])
    .select(['rows.state', 'rows.attempts', 'rows.ready_at'])
    .where('attempts.channel_id', '=', p.channelId)
    .where('attempts.run_id', '=', p.runId)
    .where('attempts.claimed_at', '>', p.since)
    .orderBy('attempts.claimed_at', 'desc')
    .limit(NEWEST),
);

/** Until when (ms) the service asked a channel of the run to wait, by its newest answers; 0: it didn't. */
async function askedUntil(db: Db, at: { runId: number; channelId: number }, now: number): Promise<number> {
  let until = 0;
  for (const one of await newestAttempts(db, { ...at, since: now - DAY_MS })) {
    if (one.outcome === 'unknown') until = Math.max(until, one.not_before ?? 0);
    const wentBack = one.outcome === 'never-sent' && one.code === THROTTLED && one.state === 'planned';
    if (wentBack && one.number === one.attempts) until = Math.max(until, one.ready_at);
  }
  return until;
}

/** A slot, and whether it is there because the service asked to wait. */
type DueSlot = Slot & { throttled?: true };

interface Open {
  channel_id: number;
  account: string;
  run_id: number;
  campaign: string;
  number: number;
}

const openAttempts = prepared<object, Open>((db) =>
  db
    .selectFrom('attempts')
    .innerJoin('runs', 'runs.id', 'attempts.run_id')
    .select(['attempts.channel_id', 'attempts.account', 'attempts.run_id', 'runs.campaign', 'runs.number'])
    .where('attempts.ended_at', 'is', null),
);

/**
 * What keeps a channel's next row from being sent, apart from its time and its pace, in the order in which a claim
 * checks it: a wait that the service asked for, canary rows that have not ended, no free slot for another create.
 */
export async function createDueWaits(
  store: Store,
  run: RunRecord,
): Promise<(channel: { id: number; account: string }, pace: ChannelPace | null, slot: Slot) => Promise<DueSlot>> {
  const { db } = store;
  const now = store.now();
  const snapshotId = await shownSnapshot(db, run);
  const most = snapshotId === null ? null : (await settingsOf(store, db, snapshotId)).accountConcurrency;
  const open = await openAttempts(db, {});

  return async ({ id: channelId, account }, pace, slot) => {
    const at = { runId: run.id, channelId };
    const until = await askedUntil(db, at, now);
    if (until > now && until >= slot.at) return { at: until, why: 'the service asked to wait', throttled: true };
    if (slot.at > now) return slot;
    const canary = await canaryOf(db, at, pace?.rules.canary);
    if (canary.kind === 'waits') return { ...slot, why: 'its first rows have not ended yet' };
    const inChannel = open.filter((one) => one.channel_id === channelId);
    if (pace !== null && inChannel.length >= pace.concurrency) {
      return { ...slot, why: `waits for a free slot (concurrency ${pace.concurrency}${takenBy(inChannel, run.id)})` };
    }
    const inAccount = open.filter((one) => one.account === account);
    if (most !== null && inAccount.length >= most) {
      return { ...slot, why: `waits for a free slot (${most} in account ${account}${takenBy(inAccount, run.id)})` };
    }
    return slot;
  };
}

/** Slots that the run itself occupies are not mentioned. */
function takenBy(open: readonly Open[], runId: number): string {
  const others = new Set(
    open.filter((one) => one.run_id !== runId).map(({ campaign, number }) => `${campaign}.${number}`),
  );
  const [first, ...more] = others;
  if (first === undefined) return '';
  return `, taken by ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}
