import { slotsOfAccount, type PacedWork } from '../channels/account-slots';
import { HELD_UNTIL } from '../channels/channels';
import { readHolds } from '../runs/gates';
import { layersOf, paceFrom } from '../channels/pacing';
import { isOfAccount } from '../pace/pace-rules';
import { readRun } from '../runs/read-run';
import { shownSnapshot } from '../runs/runs';
import { settingsOf } from '../rows/snapshots';
import { type Store } from '../engine/store';
import { type CampaignSettings, type RunRef } from '../model/types';

/** When the rest of a run is sent, according to its times and its pace. */
export interface LastSend {
  /** ms since the epoch; Infinity: the hours of some rows never occur; null: nothing waits for its time. */
  at: number | null;
  /** Rows that wait for a person or for a parked channel: no estimate includes them. */
  held: number;
  /** What happens to a row that misses its time; null: no row that the run has yet to send has a time of its own. */
  late: CampaignSettings['late'] | null;
}

/**
 * The slot of the last row that the run has yet to send, by the same pace that plans and claims use. Rows that a trial
 * leaves out are not the run's.
 */
export async function lastSend(store: Store, ref: RunRef): Promise<LastSend> {
  const run = await readRun(store.db, ref);
  const snapshotId = await shownSnapshot(store.db, run);
  if (snapshotId === null) return { at: null, held: 0, late: null };
  const now = store.now();
  const settings = await settingsOf(store, store.db, snapshotId);
  const layers = await layersOf(store.db, settings, run.id);
  const heldBy = await readHolds(store.db, ref);
  const left = store.db.selectFrom('rows').where('run_id', '=', run.id).where('state', 'in', ['planned', 'waiting']);
  const channels = await left
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select(['channels.id', 'channels.text_id', 'channels.account', 'channels.profile_id', 'channels.platform'])
    .select((eb) => ['channels.label', eb.fn.countAll<number | string>().as('rows'), eb.fn.max('ready_at').as('last')])
    .select((eb) => eb.fn.max('publish_at').as('time'))
    .groupBy(['channels.id', 'channels.text_id', 'channels.account', 'channels.profile_id', 'channels.platform'])
    .groupBy('channels.label')
    .execute();
  let held = 0;
  let at: number | null = null;
  const accounts = new Map<string, PacedWork[]>();
  for (const { rows, last, text_id, ...channel } of channels) {
    if (heldBy(text_id, channel.account) !== null) {
      held += Number(rows);
      continue;
    }
    const { books } = await paceFrom(store.db, settings, layers, channel);
    if (books.length === 0 && last < HELD_UNTIL) {
      at = Math.max(at ?? 0, last);
      continue;
    }
    const times = await left
      .select('ready_at')
      .where('channel_id', '=', channel.id)
      .orderBy('ready_at')
      .orderBy('position')
      .execute();
    const readyAt = times.flatMap((row) => (row.ready_at < HELD_UNTIL ? [Math.max(row.ready_at, now)] : []));
    held += times.length - readyAt.length;
    const group = accounts.get(channel.account) ?? [];
    accounts.set(channel.account, group);
    group.push({
      readyAt,
      own: books.filter(({ rules }) => !isOfAccount(rules)),
      account: books.filter(({ rules }) => isOfAccount(rules)),
    });
  }
  for (const group of accounts.values())
    for (const slots of await slotsOfAccount(group)) at = Math.max(at ?? 0, slots.at(-1)?.at ?? 0);
  const late = channels.some(({ time }) => time > 0) ? settings.late : null;
  return { at: at === null || at <= now ? null : at, held, late };
}
