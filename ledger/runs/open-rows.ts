import { type RowState } from '../model/states';
import { type Stopped, stoppedIn } from './stopped';
import { type Db, preparedFirst, type Store } from '../engine/store';
import { type RunRef } from '../model/types';
import { runIdOf } from './read-run';

/** States of rows that a run still has to end. */
export const OPEN_STATES: readonly RowState[] = ['planned', 'waiting', 'creating', 'processing'];

const UNDER_WAY: readonly RowState[] = ['creating', 'processing'];

/** Rows this run still has to end: planned or waiting and selected, creating, processing. */
export async function openRows(store: Store, run: RunRef): Promise<number> {
  return countOpen(store.db, await runIdOf(store.db, run));
}

export async function countOpen(db: Db, runId: number): Promise<number> {
  const stopped = await stoppedIn(db, runId);
  if (isNone(stopped)) return Number((await openCount(db, { runId }))?.rows ?? 0);
  const { rows } = await rowsLeft(db, runId, stopped)
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
}

const openCount = preparedFirst<{ runId: number }, { rows: number | string }>((db, p) =>
  db
    .selectFrom('rows')
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .where('run_id', '=', p.runId)
    .where('state', 'in', OPEN_STATES),
);

const anyOpen = preparedFirst<{ runId: number }, { id: number }>((db, p) =>
  db.selectFrom('rows').select('rows.id').where('run_id', '=', p.runId).where('state', 'in', OPEN_STATES).limit(1),
);

/** Whether it has any; the cost doesn't depend on how many it has. */
export async function hasOpenRows({ db }: Store, run: RunRef): Promise<boolean> {
  const runId = await runIdOf(db, run);
  const stopped = await stoppedIn(db, runId);
  const found = isNone(stopped)
    ? await anyOpen(db, { runId })
    : await rowsLeft(db, runId, stopped).select('rows.id').limit(1).executeTakeFirst();
  return found !== undefined;
}

function isNone({ all, channelIds }: Stopped): boolean {
  return !all && channelIds.length === 0;
}

/**
 * Rows that a run still has to end. Rows that tolerance has stopped are not among them: only what is under way is
 * followed to its end.
 */
function rowsLeft(db: Db, runId: number, stopped: Stopped) {
  const open = db
    .selectFrom('rows')
    .where('run_id', '=', runId)
    .where('state', 'in', stopped.all ? UNDER_WAY : OPEN_STATES);
  if (stopped.channelIds.length === 0) return open;
  return open.where((eb) => eb.or([eb('channel_id', 'not in', stopped.channelIds), eb('state', 'in', UNDER_WAY)]));
}
