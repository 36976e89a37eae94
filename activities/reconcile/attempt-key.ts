import { type UnsettledAttempt } from '../../ledger/model/attempt-types';

/** An attempt, as maps and the clock know it. */
export function keyOf(attempt: Pick<UnsettledAttempt, 'rowId' | 'attempt'>): string {
  return `${attempt.rowId}/${attempt.attempt}`;
}
