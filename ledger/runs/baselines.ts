import { readRun } from './runs';
import { type Store } from '../engine/store';
import { type RunRef } from '../model/types';

/** Ids kept as the account's newest before a run: enough that some survive deletions. */
export const BASELINE_IDS = 100;

export interface Baseline {
  account: string;
  takenAt: string;
  /** The newest publications by then; null: the list couldn't be read, so any publication may be older. */
  ids: readonly string[] | null;
}

/** Kept as it was taken first: later publications would hide what this run makes. */
export async function saveBaseline(store: Store, run: RunRef, baseline: Baseline): Promise<void> {
  const { account, takenAt, ids } = baseline;
  await store.write(async (tx) => {
    const { id } = await readRun(tx, run);
    await tx
      .insertInto('baselines')
      .values({ run_id: id, account, taken_at: takenAt, ids: JSON.stringify(ids) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/**
 * With unsettled attempts in the account: the baseline of the earliest run that made one, or the last before it. Else this
 * run's own, or null, so that it takes one.
 */
export async function baseline(store: Store, run: RunRef, account: string): Promise<Baseline | null> {
  const earliest = await store.db
    .selectFrom('attempts')
    .innerJoin('rows', 'rows.id', 'attempts.row_id')
    .innerJoin('runs', 'runs.id', 'attempts.run_id')
    .select((eb) => eb.fn.min<number | null>('runs.number').as('number'))
    .where('rows.run_id', '=', (await readRun(store.db, run)).id)
    .where('rows.state', '=', 'creating')
    .where('attempts.account', '=', account)
    .where((eb) => eb.or([eb('attempts.ended_at', 'is', null), eb('attempts.settled_at', 'is', null)]))
    .where((eb) => eb.or([eb('attempts.outcome', 'is', null), eb('attempts.outcome', '=', 'unknown')]))
    .executeTakeFirst();
  const baselines = store.db
    .selectFrom('baselines')
    .innerJoin('runs', 'runs.id', 'baselines.run_id')
    .select(['baselines.taken_at', 'baselines.ids'])
    .where('runs.campaign', '=', run.campaign)
    .where('baselines.account', '=', account);
  const of =
    earliest?.number === undefined || earliest.number === null
      ? baselines.where('runs.number', '=', run.number)
      : baselines.where('runs.number', '<=', earliest.number);
  const found = await of.orderBy('runs.number', 'desc').limit(1).executeTakeFirst();
  return found ? { account, takenAt: found.taken_at, ids: JSON.parse(found.ids) as string[] | null } : null;
}
