import { channelLabel, channelTextId } from './labels';
import { runIdOf } from './runs';
import { type RowState } from './states';
import { iso, type Db, prepared, type Store, type Tx } from './store';
import { type ChannelWork, type Entry, type PageRow, type RunRef } from './types';

/** The ready time of rows that wait for a person: never by themselves. Shown as the end of the year 9999. */
export const HELD_UNTIL = Date.UTC(9999, 11, 31, 23, 59, 59);

const LEFT: readonly RowState[] = ['planned', 'waiting', 'creating'];

/**
 * Finds or makes the channel of an entry; its label follows the profile's name, its text id never changes. A keeper
 * remembers, so it lives no longer than one transaction.
 */
export function createChannelKeeper(): (tx: Tx, entry: Entry) => Promise<number> {
  let known: Map<string, { id: number; label: string }> | undefined;
  return async (tx, entry) => {
    // All at once: a page of rows often has a hundred of them.
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

interface ChannelRecord {
  id: number;
  account: string;
  profile_id: string;
  platform: string;
  label: string;
}

const allChannels = prepared<object, ChannelRecord>((db) =>
  db.selectFrom('channels').select(['id', 'account', 'profile_id', 'platform', 'label']),
);

function identity(account: string, profileId: string, platform: string): string {
  return JSON.stringify([account, profileId, platform]);
}

/** Channels of the run with rows that are planned, waiting or creating, in the order of their ids. */
export async function channels(store: Store, run: RunRef): Promise<ChannelWork[]> {
  const runId = await runIdOf(store.db, run);
  const groups = await store.db
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select((eb) => [
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
      'channels.text_id',
      'channels.account',
      'channels.profile_id',
      'channels.platform',
      'channels.label',
    ])
    .execute();
  const now = store.now();
  const work = new Map<string, ChannelWork & { ready: number }>();
  for (const group of groups) {
    // A row that is being created is over with its time.
    const ready = group.state === 'creating' ? HELD_UNTIL : Number(group.ready);
    const before = work.get(group.text_id);
    const earliest = Math.min(ready, before?.ready ?? HELD_UNTIL);
    work.set(group.text_id, {
      id: group.text_id,
      account: group.account,
      profileId: group.profile_id === '' ? null : group.profile_id,
      platform: group.platform,
      label: group.label,
      open: Number(group.rows) + (before?.open ?? 0),
      ready: earliest,
      nextReadyAt: earliest <= now ? null : iso(earliest),
    });
  }
  return [...work.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, label, account, profileId, platform, open, nextReadyAt }) => ({
      id,
      label,
      account,
      profileId,
      platform,
      open,
      nextReadyAt,
    }));
}

interface PageRecord {
  id: number;
  line: number;
  label: string;
  ready_at: number;
  upload: number;
  position: number;
}

export function createPages(store: Store) {
  const page = prepared<{ runId: number; textId: string; state: RowState; limit: number }, PageRecord>((db, p) =>
    db
      .selectFrom('rows')
      .select(['id', 'line', 'label', 'ready_at', 'upload', 'position'])
      .where('run_id', '=', p.runId)
      .where('state', '=', p.state)
      .where('channel_id', '=', (eb) => eb.selectFrom('channels').select('id').where('text_id', '=', p.textId))
      .where('ready_at', '<', HELD_UNTIL)
      .orderBy('ready_at')
      .orderBy('position')
      .limit(p.limit),
  );

  /** The next rows that are planned or waiting, in the order (ready time, manifest position); held ones are not among them. */
  return async (input: { run: RunRef; channelId: string; limit: number; now: number }): Promise<PageRow[]> => {
    const runId = await runIdOf(store.db, input.run);
    const read = (state: RowState, db: Db = store.db) =>
      page(db, { runId, textId: input.channelId, state, limit: input.limit });
    const rows = [...(await read('planned')), ...(await read('waiting'))];
    rows.sort((a, b) => a.ready_at - b.ready_at || a.position - b.position);
    return rows.slice(0, input.limit).map((row) => ({
      id: row.id,
      line: row.line,
      label: row.label,
      readyAt: row.ready_at <= input.now ? null : iso(row.ready_at),
      upload: row.upload === 1,
    }));
  };
}

/** Every channel that rows of the campaign have, whatever became of them, in the order of their names. */
export async function campaignChannels(store: Store, campaign: string): Promise<{ id: string; label: string }[]> {
  const used = store.db.selectFrom('rows').select('channel_id').where('campaign', '=', campaign);
  return store.db
    .selectFrom('channels')
    .select(['text_id as id', 'label'])
    .where('id', 'in', used)
    .orderBy('label')
    .execute();
}
