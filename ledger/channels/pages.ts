import { slotsFor } from '../pace/pace';
import { readRun } from '../runs/read-run';
import { canaryOf } from './canary';
import { filesHostsOf } from './files-hosts';
import { stoppedIn } from '../runs/stopped';
import { type RowState } from '../model/states';
import { type Db, iso, prepared, type Store } from '../engine/store';
import { type PageRow, type RunRef } from '../model/types';
import { CANARY_CHECK_MS, channelOf, createPaceReader, HELD_UNTIL } from './channels';

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
