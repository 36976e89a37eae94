import { LedgerStateError } from '../../ledger/model/errors';
import { type Ledger } from '../../ledger/ledger';
import { type RowState } from '../../ledger/model/states';
import { type AttemptOutcome } from '../../ledger/model/attempt-types';
import { type Log } from '../deps';
import { type Spool } from './spool/spool';

/**
 * Records the outcome of an attempt: in the ledger first; if that fails, in a synced spool file, and from there in the
 * ledger as soon as it can be written again. An outcome that the ledger refuses (for example because it has no such
 * attempt) goes to quarantine instead, since no later try would record it. Returns only when the outcome is stored in
 * one of them.
 */
export async function recordOutcome(
  deps: { ledger: Ledger; worker: { id: string }; spool: Spool; log: Log; pause: (ms: number) => Promise<void> },
  rowId: number,
  attempt: number,
  outcome: AttemptOutcome,
): Promise<{ state: RowState | 'spooled'; conflict?: string }> {
  for (let tries = 0; ; tries += 1) {
    const entry = { rowId, attempt, outcome, ledger: deps.ledger.id, worker: deps.worker.id };
    const which = { row: rowId, attempt };
    let failure: unknown;
    try {
      return await deps.ledger.record(rowId, attempt, outcome, deps.worker.id);
    } catch (error) {
      failure = error;
    }
    try {
      if (failure instanceof LedgerStateError) {
        await deps.spool.putAside(entry, failure.message);
        const message = 'the ledger refused an outcome; it was moved to the spool’s quarantine';
        deps.log.error(message, { ...which, error: String(failure) });
      } else {
        await deps.spool.add(entry);
        const message = 'the ledger can’t be written; an outcome was written to the spool';
        deps.log.error(message, { ...which, error: String(failure) });
      }
      return { state: 'spooled' };
    } catch (error) {
      deps.log.error('neither ledger nor spool can be written; an outcome is held in memory', {
        ...which,
        error: String(failure),
        spool: String(error),
      });
    }
    await deps.pause(Math.min(250 * 2 ** tries, 5_000));
  }
}
