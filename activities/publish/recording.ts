import { type Ledger } from '../../ledger/ledger';
import { type RowState } from '../../ledger/model/states';
import { type AttemptOutcome } from '../../ledger/model/types';
import { type Log } from '../deps';
import { type Spool } from './spool';

/**
 * Records what came of an attempt: the ledger first; when that fails, the synced spool file, and from there into the
 * ledger as soon as it can be written again. Returns only when one of the two holds the outcome.
 */
export async function recordOutcome(
  deps: { ledger: Ledger; spool: Spool; log: Log; pause: (ms: number) => Promise<void> },
  rowId: number,
  attempt: number,
  outcome: AttemptOutcome,
): Promise<{ state: RowState | 'spooled'; conflict?: string }> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await deps.ledger.record(rowId, attempt, outcome);
    } catch (error) {
      deps.log.error('the ledger can’t be written; an outcome is kept in the spool', {
        row: rowId,
        attempt,
        error: String(error),
      });
    }
    try {
      await deps.spool.add({ rowId, attempt, outcome });
      return { state: 'spooled' };
    } catch (error) {
      deps.log.error('neither ledger nor spool can be written; an outcome is held in memory', {
        row: rowId,
        attempt,
        error: String(error),
      });
    }
    await deps.pause(Math.min(250 * 2 ** tries, 5_000));
  }
}
