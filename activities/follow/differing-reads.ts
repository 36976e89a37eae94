import { type InFlightRow } from '../../ledger/model/result-types';
import { type Difference } from '../compare/as-requested';
import { type ActivityDeps } from '../deps';

/** Number of reads that must show a publication differently from the request before that counts as its end. */
const READS_OF_DIFFERENCES = 3;

/**
 * By publication: how many reads showed it published differently from the request. One for the whole process, as an activity
 * may end before the reads that are needed are made.
 */
const DIFFERED = new WeakMap<ActivityDeps['ledger'], Map<string, number>>();

/** Services may show the status before the values that go with it: what differs is read again before it counts. */
export function mayStillChange(
  { ledger, now }: Pick<ActivityDeps, 'ledger' | 'now'>,
  row: InFlightRow,
  differences: readonly Difference[],
): boolean {
  const reads = DIFFERED.get(ledger) ?? new Map<string, number>();
  DIFFERED.set(ledger, reads);
  const differed = (reads.get(row.publicationId) ?? 0) + 1;
  if (differences.length === 0 || differed >= READS_OF_DIFFERENCES || Date.parse(row.deadline) <= now()) {
    reads.delete(row.publicationId);
    return false;
  }
  reads.set(row.publicationId, differed);
  return true;
}
