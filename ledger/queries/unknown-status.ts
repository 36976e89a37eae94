import { rowsOf, viewOf } from '../runs/view';
import { type Store } from '../engine/store';
import { type ResultRecord, type UnknownStatus } from '../model/result-types';
import { type ViewRef } from '../model/types';

/** Statuses of publications that the interface names, and `not found`, which is recorded if the service has none (yet). */
const KNOWN: readonly string[] = ['processing', 'published', 'failed', 'draft', 'pending', 'not found'];

/** Recorded if the service shows no status at all. */
const NO_STATUS = 'none';

/** Statuses that the interface doesn't name, as the service shows them for followed rows, the most frequent first. */
export async function unknownStatuses(store: Store, ref: ViewRef): Promise<UnknownStatus[]> {
  const byStatus = new Map<string, number>();
  for (const some of await rowsOf(store.db, await viewOf(store.db, ref))) {
    const groups = await some
      .select((eb) => ['rows.status', eb.fn.countAll<number | string>().as('rows')])
      .where('rows.state', '=', 'processing')
      .where('rows.status', 'not in', KNOWN)
      .groupBy('rows.status')
      .execute();
    for (const { status, rows } of groups)
      if (status !== null) byStatus.set(status, (byStatus.get(status) ?? 0) + Number(rows));
  }
  return [...byStatus].map(([status, rows]) => ({ status, rows })).sort((a, b) => b.rows - a.rows);
}

/** Code and message of a row that is followed although its status is unknown; null for every other row. */
export function unknownStatusOf(
  state: string | null,
  status: string | null,
): Pick<ResultRecord, 'code' | 'message' | 'column'> | null {
  if (state !== 'processing' || status === null || KNOWN.includes(status)) return null;
  const shown = status === NO_STATUS ? 'no status' : `the unknown status ${JSON.stringify(status)}`;
  return {
    code: 'unknown-status',
    column: null,
    message: `the service shows ${shown}; the publication is read until its status is published or failed, or its deadline has passed`,
  };
}
