import { type Canary } from '../pace/pace-rules';
import { type RowState } from '../model/states';
import { type Db, prepared, preparedFirst } from '../engine/store';

export type CanaryState =
  /** The channel's other rows may be sent. */
  | { kind: 'passed' }
  /** How many more canary rows may be sent. */
  | { kind: 'open'; left: number }
  /** The canary rows were sent and have not ended yet. */
  | { kind: 'waits' }
  | { kind: 'failed'; failed: number };

const passed = preparedFirst<{ runId: number; channelId: number }, { passed_at: number }>((db, p) =>
  db.selectFrom('canaries').select('passed_at').where('run_id', '=', p.runId).where('channel_id', '=', p.channelId),
);

const states = prepared<{ runId: number; channelId: number }, { state: RowState; rows: number | string }>((db, p) =>
  db
    .selectFrom('rows')
    .select((eb) => ['state', eb.fn.countAll<number | string>().as('rows')])
    .where('run_id', '=', p.runId)
    .where('channel_id', '=', p.channelId)
    .groupBy('state'),
);

const UNDER_WAY: readonly RowState[] = ['creating', 'processing'];
const WELL: readonly RowState[] = ['published', 'drafted', 'submitted'];
const UNSENT: readonly RowState[] = ['planned', 'waiting', 'cancelled'];

/** How far a channel's canary is in a run. All rows that this run has sent count, whatever their position. */
export async function canaryOf(
  db: Db,
  at: { runId: number; channelId: number },
  canary: Canary | undefined,
): Promise<CanaryState> {
  if (canary === undefined || canary.rows === 0) return { kind: 'passed' };
  if ((await passed(db, at)) !== undefined) return { kind: 'passed' };
  let sent = 0;
  let underWay = 0;
  let well = 0;
  for (const { state, rows } of await states(db, at)) {
    if (UNSENT.includes(state)) continue;
    sent += Number(rows);
    if (UNDER_WAY.includes(state)) underWay += Number(rows);
    if (WELL.includes(state)) well += Number(rows);
  }
  if (sent < canary.rows) return { kind: 'open', left: canary.rows - sent };
  if (underWay > 0) return { kind: 'waits' };
  const failed = sent - well;
  return failed <= canary.share * sent ? { kind: 'passed' } : { kind: 'failed', failed };
}

/** From here on the canary is over for this channel and run. */
export async function passCanary(db: Db, at: { runId: number; channelId: number }, now: number): Promise<void> {
  await db
    .insertInto('canaries')
    .values({ run_id: at.runId, channel_id: at.channelId, passed_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
