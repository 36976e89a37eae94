import { type ProblemList } from '../../problems/problems';
import { type DraftRow } from '../row-context';

/** Names that are reserved for examples (RFC 2606): there is never a video. */
export function isReservedHost(hostname: string): boolean {
  return /(^|\.)(example\.(com|net|org)|example|test|invalid)\.?$/i.test(hostname);
}

/** Refuses rows that would send an example’s address to a real service, which may publish nothing in its place. */
export function checkPlaceholders(drafts: readonly DraftRow[], problems: ProblemList): void {
  let last: DraftRow['raw'] | undefined;
  for (const { row, raw, sourceAt } of drafts) {
    if (row.sourceKind !== 'url' || row.source === null || row.skip) continue;
    const { hostname } = new URL(row.source);
    if (!isReservedHost(hostname)) continue;
    if (raw !== last) problems.startRow();
    last = raw;
    const message = `${hostname} is reserved for examples: there is no video at it.`;
    const problem = problems.add({ code: 'url-placeholder', at: sourceAt, value: row.source, message });
    row.deferredErrors = [...row.deferredErrors, problem];
  }
}
