import { channelLabel, channelTextId } from '../model/labels';
import { type ChannelPace, layersOf, namesOf, nextOf, type PacedChannel, paceFrom } from './pacing';
import { readHolds } from '../runs/gates';
import { readChannelNames } from '../rows/channel-names';
import { readRun } from '../runs/read-run';
import { shownSnapshot } from '../runs/runs';
import { settingsOf } from '../rows/snapshots';
import { createDueWaits } from './due-waits';
import { stoppedIn } from '../runs/stopped';
import { type RowState } from '../model/states';
import { type Db, iso, prepared, preparedFirst, type Store, type Tx } from '../engine/store';
import { type ChannelWork, type Entry, type RunRef } from '../model/types';

/** The ready time of rows that wait for a person, which are never sent automatically. Shown as the end of the year 9999. */
export const HELD_UNTIL = Date.UTC(9999, 11, 31, 23, 59, 59);

/** How often a channel checks whether its canary has ended, ms. */
export const CANARY_CHECK_MS = 5_000;

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

export const channelOf = preparedFirst<{ channelId: string }, PacedChannel>((db, p) =>
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
  const work = new Map<string, { group: WorkedChannel; open: number; sending: number; ready: number }>();
  for (const group of groups) {
    // A row that is being created no longer depends on its time.
    const ready = group.state === 'creating' ? HELD_UNTIL : Number(group.ready);
    const before = work.get(group.text_id);
    work.set(group.text_id, {
      group,
      open: Number(group.rows) + (before?.open ?? 0),
      sending: (group.state === 'creating' ? Number(group.rows) : 0) + (before?.sending ?? 0),
      ready: Math.min(ready, before?.ready ?? HELD_UNTIL),
    });
  }
  const found: ChannelWork[] = [];
  const stopped = await stoppedIn(store.db, runId);
  const heldBy = await readHolds(store.db, run);
  const beyond = await createDueWaits(store, record);
  const nameOf = await readChannelNames(store.db);
  for (const { group, open, sending, ready } of work.values()) {
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
      sending,
      nextReadyAt,
      why: slot.why,
      throttled: slot.throttled ?? false,
      held: heldBy(id, account),
    });
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Reads the pace of a run's channels, one after another; null before the run has a manifest. */
export async function createPaceReader(
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
