import { type RowState } from '../ledger/model/states';

export const GOOD: readonly RowState[] = ['published', 'drafted', 'submitted'];
export const BAD: readonly RowState[] = ['failed', 'rejected', 'unconfirmed', 'overdue'];

/** The style of a state: good, bad, under way, or neither. */
export function styleOf(state: RowState): 'good' | 'bad' | 'wait' | 'off' {
  if (GOOD.includes(state)) return 'good';
  if (BAD.includes(state)) return 'bad';
  return state === 'cancelled' ? 'off' : 'wait';
}
