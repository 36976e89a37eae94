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
}

/** Null if any of the run's submissions covered all rows of its manifest. */
export async function trial(store: Store, ref: RunRef): Promise<TrialRows | null> {
  const runId = await runIdOf(store.db, ref);
  const submissions = await store.db.selectFrom('submissions').select('options').where('run_id', '=', runId).execute();
  const selects = submissions.map(({ options }) => (JSON.parse(options) as SubmissionOptions).select);
  if (selects.length === 0 || !selects.every(Boolean)) return null;
  const groups = await countStates(store.db.selectFrom('rows').where('rows.run_id', '=', runId));
  const count = (found: typeof groups): number => found.reduce((sum, { rows }) => sum + rows, 0);
  return { rows: count(groups), ended: count(groups.filter(({ state }) => !OPEN_STATES.includes(state))) };
}
