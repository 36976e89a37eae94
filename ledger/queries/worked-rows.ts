import { countStates } from './counts';
import { type Store } from '../engine/store';
import { type RowState } from '../model/states';
import { type Counts, type RunRef } from '../model/types';

/** Rows that the run itself processes or ended, by state: none that were done before it. */
export async function workedRows({ db }: Store, { campaign, number }: RunRef): Promise<Counts> {
  const run = db.selectFrom('runs').select('id').where('campaign', '=', campaign).where('number', '=', number);
  const counts: Partial<Record<RowState, number>> = {};
  for (const { state, rows } of await countStates(db.selectFrom('rows').where('rows.run_id', '=', run)))
    counts[state] = rows;
  return counts;
}
