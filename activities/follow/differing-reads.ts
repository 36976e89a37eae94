import { type InFlightRow } from '../../ledger/model/result-types';
import { type Difference } from '../compare/as-requested';
import { type ActivityDeps } from '../deps';

/** Number of reads that must show a publication differently from the request before that counts as its end. */
const READS_OF_DIFFERENCES = 3;

/**
 * By publication: how many reads showed it published with other values than requested. Shared by the whole process,
 * because an activity may end before the required reads are made.
 */
const DIFFERED = new WeakMap<ActivityDeps['ledger'], Map<string, number>>();

/** Services may show the status before the values that go with it: differences are read again before they count. */
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
