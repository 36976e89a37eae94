import { AttemptClock } from '../../../activities/reconcile/attempt-clock';
import { LedgerComparison, type LedgerReconciliation } from '../../../activities/reconcile/reconcile-ledger';
import { PRODUCTION_TIMINGS } from '../../../activities/timings';
import { type Ledger } from '../../../ledger/ledger';
import { type AccountConnection } from '../../../service/accounts';

/** Compares one account with the ledger as `ledger reconcile` does. Time is a number: the waits pass at once. */
export async function compareLedger(
  ledger: Ledger,
  connection: AccountConnection,
  time: { now: () => number; pass: (ms: number) => void } = passing(),
): Promise<LedgerReconciliation> {
  const { now, pass } = time;
  const clock = new AttemptClock({ wall: now, monotonic: now, awake: now });
  const comparison = new LedgerComparison({ ledger, connection, timings: PRODUCTION_TIMINGS, clock, now });
  for (let forMs = await comparison.look(); forMs !== null; forMs = await comparison.look()) pass(forMs);
  return comparison.settle('ana');
}

function passing() {
  let ahead = 0;
  return { now: () => Date.now() + ahead, pass: (ms: number) => (ahead += ms) };
}
