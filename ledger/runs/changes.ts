import { readRun } from './read-run';
import { iso, type Store, type Tx } from '../engine/store';
import { type RunRef } from '../model/types';

/** A change that a person, or a probe, made while a run was open. */
export interface LiveChangeRecord {
  at: string;
  by: string;
  what: string;
}

/** `runId` null: it concerns every run with rows in the scope, which is then a channel's or an account's. */
export async function noteChange(
  tx: Tx,
  change: { runId: number | null; scope: string; by: string; what: string },
  now: number,
): Promise<void> {
  const { runId, scope, by, what } = change;
  await tx.insertInto('changes').values({ run_id: runId, scope, at: now, by, what }).execute();
}

/** The changes in a run, newest first, including those that concerned its channels and accounts since it began. */
export async function liveChanges(store: Store, ref: RunRef, limit: number): Promise<LiveChangeRecord[]> {
  const run = await readRun(store.db, ref);
  const channels = store.db.selectFrom('rows').select('channel_id').where('run_id', '=', run.id);
  const scopes = await store.db
    .selectFrom('channels')
    .select(['text_id', 'account'])
    .where('id', 'in', channels)
    .execute();
  const own = new Set(scopes.flatMap((one) => [`channel:${one.text_id}`, `account:${one.account}`]));
  const found = await store.db
    .selectFrom('changes')
    .selectAll()
    .where('at', '>=', run.started_at)
    .where((eb) => eb.or([eb('run_id', '=', run.id), eb('run_id', 'is', null)]))
    .orderBy('id', 'desc')
    .execute();
  return found
    .filter((one) => one.run_id !== null || own.has(one.scope))
    .slice(0, limit)
    .map(({ at, by, what }) => ({ at: iso(at), by, what }));
}
