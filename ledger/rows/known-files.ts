import { acceptedRows } from './accepted';
import { type RowState } from '../model/states';
import { type Store } from '../engine/store';
import { type RowValues } from '../model/types';

/** A file of a row, as it was accepted. */
export interface KnownFile {
  key: string;
  /** Absolute path. */
  source: string;
  size: number | null;
  modifiedMs: number | null;
  mark: string | null;
  state: RowState;
  /** A create may have happened. */
  sent: boolean;
}

/** The files of the campaign’s rows, the ones accepted last at the end, to recognise a renamed file in a folder. */
export async function knownFiles(store: Store, campaign: string): Promise<KnownFile[]> {
  const rows = await acceptedRows(store.db)
    .select(['rows.key', 'rows.state', 'rows.sent', 'entries.values'])
    .where('rows.campaign', '=', campaign)
    .orderBy('rows.entry_snapshot')
    .orderBy('rows.id')
    .execute();
  return rows.flatMap(({ key, state, sent, values }) => {
    const { source, sourceKind, fileSize, fileModifiedMs, fileMark } = JSON.parse(values) as RowValues;
    if (sourceKind !== 'file' || source === null) return [];
    const file = { size: fileSize ?? null, modifiedMs: fileModifiedMs ?? null, mark: fileMark ?? null };
    return [{ key, source, ...file, state, sent: sent === 1 }];
  });
}
