import { countStates } from '../queries/counts';
import { OPEN_STATES } from '../runs/open-rows';
import { runIdOf } from '../runs/read-run';
import { type SubmissionOptions } from './repeated-trial';
import { type Store } from '../engine/store';
import { type RunRef } from '../model/types';

/** The rows that a trial has taken, and how many of those have ended. */
export interface TrialRows {
  rows: number;
  ended: number;
  /** How many rows each submission takes according to the manifest (`take`); null: a flag limits it. */
  take: number | null;
}

/** Null if any of the run's submissions covered all rows of its manifest. */
export async function trial(store: Store, ref: RunRef): Promise<TrialRows | null> {
  const runId = await runIdOf(store.db, ref);
  const submissions = await store.db
    .selectFrom('submissions')
    .select('options')
    .where('run_id', '=', runId)
    .orderBy('id')
    .execute();
  const given = submissions.map(({ options }) => JSON.parse(options) as SubmissionOptions);
  const newest = given.at(-1);
  if (newest === undefined || !given.every(({ select }) => select)) return null;
  const groups = await countStates(store.db.selectFrom('rows').where('rows.run_id', '=', runId));
  const count = (found: typeof groups): number => found.reduce((sum, { rows }) => sum + rows, 0);
  const take = newest.take === true ? (newest.select?.limit ?? null) : null;
  return { rows: count(groups), ended: count(groups.filter(({ state }) => !OPEN_STATES.includes(state))), take };
}
