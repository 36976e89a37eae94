import { channelLabel, channelTextId } from '../model/labels';
import { namesOf, nextOf, layersOf, paceFrom, type ChannelPace, type PacedChannel } from './pacing';
import { slotsFor } from '../pace/pace';
import { readHolds } from '../runs/gates';
import { readChannelNames } from '../rows/channel-names';
import { readRun, shownSnapshot } from '../runs/runs';
import { settingsOf } from '../rows/snapshots';
import { canaryOf } from './canary';
import { createDueWaits } from './due-waits';
import { filesHostsOf } from './files-hosts';
import { stoppedIn } from '../runs/stopped';
import { type RowState } from '../model/states';
import { iso, type Db, prepared, preparedFirst, type Store, type Tx } from '../engine/store';
import { type ChannelWork, type Entry, type PageRow, type RunRef } from '../model/types';

/** The ready time of rows that wait for a person, which are never sent automatically. Shown as the end of the year 9999. */
export const HELD_UNTIL = Date.UTC(9999, 11, 31, 23, 59, 59);

/** How often a channel checks whether its canary has ended, ms. */
const CANARY_CHECK_MS = 5_000;

const LEFT: readonly RowState[] = ['planned', 'waiting', 'creating'];

/**
 * Finds or creates the channel of an entry. Its label follows the profile's name; its text id never changes. The cache
 * lives no longer than one transaction.
 */
export function createChannelUpsert(): (tx: Tx, entry: Entry) => Promise<number> {
  let known: Map<string, { id: number; label: string }> | undefined;
  return async (tx, entry) => {
    // Creates them all at once: a page of rows often has a hundred of them.
    known ??= new Map((await allChannels(tx, {})).map((c) => [identity(c.account, c.profile_id, c.platform), c]));
    const { account, values } = entry;
    const name = identity(account, values.profileId ?? '', values.platform);
    const label = channelLabel(values);
    const kept = known.get(name);
    if (kept?.label === label) return kept.id;
    const channel = { account, profile_id: values.profileId ?? '', platform: values.platform };
    const { id } = await tx
      .insertInto('channels')
      .values({ ...channel, text_id: channelTextId({ account, ...values }), label })
      .onConflict((conflict) => conflict.columns(['account', 'profile_id', 'platform']).doUpdateSet({ label }))
      .returning('id')
      .executeTakeFirstOrThrow();
    known.set(name, { id, label });
    return id;
  };
}

const allChannels = prepared<object, PacedChannel>((db) =>
  db.selectFrom('channels').select(['id', 'account', 'profile_id', 'platform', 'label']),
);

function identity(account: string, profileId: string, platform: string): string {
  return JSON.stringify([account, profileId, platform]);
}

function worked(db: Db, runId: number) {
  return db
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select((eb) => [
      'channels.id as channel_id',
      'channels.text_id',
      'channels.account',
      'channels.profile_id',
      'channels.platform',
      'channels.label',
      'rows.state',
      eb.fn.countAll<number | string>().as('rows'),
      eb.fn.min<number | string>('rows.ready_at').as('ready'),
    ])
    .where('rows.run_id', '=', runId)
    .where('rows.state', 'in', LEFT)
    .groupBy([
      'rows.state',
      'channels.id',
      'channels.text_id',
      'channels.account',
      'channels.profile_id',
      'channels.platform',
      'channels.label',
    ]);
}

type WorkedChannel = Awaited<ReturnType<ReturnType<typeof worked>['execute']>>[number];

const workedIn = prepared<{ runId: number }, WorkedChannel>((db, p) => worked(db, p.runId));

const channelOf = preparedFirst<{ channelId: string }, PacedChannel>((db, p) =>
  db
    .selectFrom('channels')
    .select(['id', 'account', 'profile_id', 'platform', 'label'])
    .where('text_id', '=', p.channelId),
);

/** Channels of the run with rows that are planned, waiting or creating, in the order of their ids. */
export async function channels(store: Store, run: RunRef): Promise<ChannelWork[]> {
  const record = await readRun(store.db, run);
  const runId = record.id;
  const groups = await workedIn(store.db, { runId });
  if (groups.length === 0) return [];
  const now = store.now();
  const paced = await createPaceReader(store, record);
  const work = new Map<string, { group: WorkedChannel; open: number; ready: number }>();
  for (const group of groups) {
    // A row that is being created no longer depends on its time.
    const ready = group.state === 'creating' ? HELD_UNTIL : Number(group.ready);
    const before = work.get(group.text_id);
    work.set(group.text_id, {
      group,
      open: Number(group.rows) + (before?.open ?? 0),
      ready: Math.min(ready, before?.ready ?? HELD_UNTIL),
    });
  }
  const found: ChannelWork[] = [];
  const stopped = await stoppedIn(store.db, runId);
  const heldBy = await readHolds(store.db, run);
  const beyond = await createDueWaits(store, record);
  const nameOf = await readChannelNames(store.db);
  for (const { group, open, ready } of work.values()) {
    const { text_id: id, account, profile_id, platform, label } = group;
    if (stopped.all || stopped.channelIds.includes(group.channel_id)) continue;
    const channel = { id: group.channel_id, account, profile_id, platform, label };
    const pace = ready >= HELD_UNTIL ? null : await paced(channel);
    const timed = pace === null ? { at: ready, why: null } : nextOf(pace, ready, now);
    const slot = ready >= HELD_UNTIL ? { ...timed, throttled: false } : await beyond(channel, pace, timed);
    const nextReadyAt = slot.at <= now ? null : iso(Math.min(slot.at, HELD_UNTIL));
    const profileId = profile_id === '' ? null : profile_id;
    found.push({
      id,
      label: nameOf({ account, profileId, platform, label }),
      account,
      profileId,
      platform,
      open,
      nextReadyAt,
      why: slot.why,
      throttled: slot.throttled ?? false,
      held: heldBy(id, account),
    });
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Reads the pace of a run's channels, one after another; null before the run has a manifest. */
async function createPaceReader(
  store: Store,
  run: Awaited<ReturnType<typeof readRun>>,
): Promise<(channel: PacedChannel) => Promise<ChannelPace | null>> {
  const snapshotId = await shownSnapshot(store.db, run);
  if (snapshotId === null) return async () => null;
  const settings = await settingsOf(store, store.db, snapshotId);
  const layers = await layersOf(store.db, settings, run.id);
  return (channel) => paceFrom(store.db, settings, layers, channel);
}

/** The maximum number of creates open at once in a channel of a run. */
export async function channelConcurrency(store: Store, ref: RunRef, channelId: string): Promise<number> {
  const run = await readRun(store.db, ref);
  const channel = await channelOf(store.db, { channelId });
  const pace = channel === undefined ? null : await (await createPaceReader(store, run))(channel);
  return pace?.concurrency ?? 1;
}

interface PageRecord {
  id: number;
  line: number;
  label: string;
  ready_at: number;
  upload: number;
  position: number;
  entry_snapshot: number;
}

/**
 * The create's activity waits for a slot this near (ms) itself, to the millisecond; a workflow's timers are less
 * precise.
 */
export const NEAR_MS = 2_000;
/** Slots within this time (ms) are taken up in advance, so that no channel misses them. */
const SOON_MS = 10_000;

/** When a channel takes up a row whose slot is at that time (ms). The claim still allows no create before the slot. */
function takenUpAt(slotAt: number, now: number): number {
  if (slotAt <= now + NEAR_MS) return now;
  return slotAt <= now + SOON_MS ? slotAt - NEAR_MS / 2 : slotAt;
}

/**
 * The next rows of a channel that are planned or waiting, in the order (ready time, manifest position), each with the
 * time that the channel's pace leaves it.
 */
export function createPages(store: Store) {
  const page = prepared<{ runId: number; textId: string; state: RowState; limit: number }, PageRecord>((db, p) =>
    db
      .selectFrom('rows')
      .select(['id', 'line', 'label', 'ready_at', 'upload', 'position', 'entry_snapshot'])
      .where('run_id', '=', p.runId)
      .where('state', '=', p.state)
      .where('channel_id', '=', (eb) => eb.selectFrom('channels').select('id').where('text_id', '=', p.textId))
      .where('ready_at', '<', HELD_UNTIL)
      .orderBy('ready_at')
      .orderBy('position')
      .limit(p.limit),
  );

  /**
   * The next rows that are planned or waiting, in the order (ready time, manifest position), each with the slot that the
   * channel's pace leaves it; held ones are not among them.
   */
  return async (input: { run: RunRef; channelId: string; limit: number; now: number }): Promise<PageRow[]> => {
    const run = await readRun(store.db, input.run);
    const read = (state: RowState, db: Db = store.db) =>
      page(db, { runId: run.id, textId: input.channelId, state, limit: input.limit });
    const rows = [...(await read('planned')), ...(await read('waiting'))];
    rows.sort((a, b) => a.ready_at - b.ready_at || a.position - b.position);
    const stopped = await stoppedIn(store.db, run.id);
    if (stopped.all) return [];
    const taken = rows.slice(0, input.limit);
    const channel = await channelOf(store.db, { channelId: input.channelId });
    if (channel !== undefined && stopped.channelIds.includes(channel.id)) return [];
    const pace = channel === undefined ? null : await (await createPaceReader(store, run))(channel);
    const at = { runId: run.id, channelId: channel?.id ?? 0 };
    const canary = await canaryOf(store.db, at, pace?.rules.canary);
    if (canary.kind === 'open') taken.splice(canary.left);
    if (canary.kind === 'waits') {
      const again = iso(input.now + CANARY_CHECK_MS);
      return taken.map(({ id, line, label, upload }) => ({
        ...{ id, line, label, upload: upload === 1 },
        readyAt: again,
        why: 'its first rows have not ended yet',
      }));
    }
    const uploads = taken.filter((row) => row.upload === 1).map((row) => row.entry_snapshot);
    const hosts = await filesHostsOf(store.db, input.run.campaign, uploads);
    const slots = slotsFor(
      pace?.books ?? [],
      taken.map((row) => Math.max(row.ready_at, input.now)),
    );
    return taken.map((row, at) => {
      const filesHost = row.upload === 1 ? hosts.get(row.entry_snapshot) : undefined;
      const slot = slots[at] ?? { at: row.ready_at, why: null };
      const from = row.ready_at <= input.now ? takenUpAt(slot.at, input.now) : slot.at;
      return {
        id: row.id,
        line: row.line,
        label: row.label,
        readyAt: from <= input.now ? null : iso(Math.min(from, HELD_UNTIL)),
        ...(slot.at > input.now && slot.why !== null ? { why: slot.why } : {}),
        upload: row.upload === 1,
        ...(filesHost === undefined ? {} : { filesHost }),
      };
    });
  };
}

/** Every channel that rows of the campaign have, in any state, ordered by name. */
export async function campaignChannels(store: Store, campaign: string): Promise<{ id: string; label: string }[]> {
  const used = store.db.selectFrom('rows').select('channel_id').where('campaign', '=', campaign);
  const found = await store.db
    .selectFrom('channels')
    .select(['text_id as id', 'account', 'profile_id', 'platform', 'label'])
    .where('id', 'in', used)
    .orderBy('label')
    .execute();
  const nameOf = await readChannelNames(store.db);
  return found.map(({ id, profile_id: profileId, ...channel }) => ({
    id,
    label: nameOf({ ...channel, profileId: profileId === '' ? null : profileId }),
  }));
}

/** Profiles that rows of an account have had, with their latest names: what is known of them without asking the service. */
export async function knownProfiles(
  store: Store,
  account: string,
): Promise<{ id: string; name: string; channels: { platform: string }[] }[]> {
  const known = await store.db
    .selectFrom('channels')
    .select(['id', 'account', 'profile_id', 'platform', 'label'])
    .where('account', '=', account)
    .where('profile_id', '!=', '')
    .orderBy('id')
    .execute();
  const profiles = new Map<string, { id: string; name: string; channels: { platform: string }[] }>();
  for (const channel of known) {
    const { profile_id: id, platform } = channel;
    const profile = profiles.get(id) ?? { id, name: namesOf(channel).profileName ?? id, channels: [] };
    profile.channels.push({ platform });
    profiles.set(id, profile);
  }
  return [...profiles.values()];
}
