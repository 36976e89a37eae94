import { isDisputed } from './second-publications';
import { acceptedRows } from '../rows/accepted';
import { noteDecision } from '../rows/decisions';
import { LedgerFaultError } from '../model/errors';
import { shortMessage } from '../model/labels';
import { patchRow, readRow } from '../rows/rows';
import { DIFFERING_CODES } from '../model/states';
import { iso, type Store } from '../engine/store';
import { type RowValues } from '../model/types';

/** What a later read of a finished row's publication showed. */
export interface RecheckInput {
  rowId: number;
  publicationId: string;
  /** Null: it is as requested. */
  finding: { code: string; message: string } | null;
  /** As shown now; absent if nothing was shown. */
  privacy?: string;
  by: string;
}

/** What a row requests, with the values that were accepted for it. @throws LedgerFaultError if there is no such row */
export async function requestedOf(store: Store, rowId: number): Promise<RowValues> {
  const row = await acceptedRows(store.db).select('entries.values').where('rows.id', '=', rowId).executeTakeFirst();
  if (row === undefined) throw new LedgerFaultError(`the ledger has no row ${rowId}`);
  return JSON.parse(row.values) as RowValues;
}

/**
 * Records what a later read of a finished row's publication showed. The row keeps its state; its code and message are
 * set to what is not as requested, or cleared. A failed row keeps its reason, and a row that may be published twice
 * keeps the code for that.
 */
export async function noteRechecked(store: Store, input: RecheckInput): Promise<void> {
  const { rowId, publicationId, finding, privacy, by } = input;
  await store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    if (row.publication_id !== publicationId) return;
    const now = store.now();
    const kind = finding === null ? 'seen-as-requested' : (`seen-${finding.code}` as const);
    await noteDecision(tx, { rowId, kind, publicationId, by, at: now });
    const shown = privacy === undefined ? {} : { privacy };
    if (isDisputed(row.code) || row.state !== 'published') return patchRow(tx, rowId, shown);
    if (finding !== null) {
      return patchRow(tx, rowId, {
        ...shown,
        code: finding.code,
        message: shortMessage(`${finding.message} (seen ${iso(now)})`),
      });
    }
    const cleared = row.code !== null && DIFFERING_CODES.includes(row.code) ? { code: null, message: null } : {};
    return patchRow(tx, rowId, { ...shown, ...cleared });
  });
}
