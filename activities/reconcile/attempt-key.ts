import { type UnsettledAttempt } from '../../ledger/model/attempt-types';

/** An attempt's key for maps and the clock. */
export function keyOf(attempt: Pick<UnsettledAttempt, 'rowId' | 'attempt'>): string {
  return `${attempt.rowId}/${attempt.attempt}`;
}
