import { type ListScan, type UnsettledAttempt } from '../../ledger/model/attempt-types';
import { type settleMsOf } from './decide';
import { type ScannedList } from './list-scan';

/** What the settling time of an attempt depends on. */
export function settlingOf(
  attempt: Pick<UnsettledAttempt, 'values' | 'refused' | 'notBefore' | 'endedAt'>,
  listProven = false,
): Parameters<typeof settleMsOf>[0] {
  const { values, refused, notBefore, endedAt } = attempt;
  // Both were recorded by the same worker at the same moment, so their difference is what the service asked for.
  const waitMs = notBefore === null || endedAt === null ? 0 : Date.parse(notBefore) - Date.parse(endedAt);
  return { upload: values.sourceKind === 'file', refused, waitMs, listProven };
}

/**
 * How long an attempt has been over by the service's own clock, from the first scan for it to this one: this covers the
 * time in which no process of ours ran. Never more than the local clock says.
 */
export function servedMs(scans: readonly ListScan[], scanned: Pick<ScannedList, 'at' | 'servedAt'> | null): number {
  const [first] = scans;
  if (first === undefined || first.servedAt === null || scanned === null || scanned.servedAt === null) return 0;
  return Math.max(0, Math.min(scanned.servedAt - first.servedAt, scanned.at - Date.parse(first.at)));
}
