import { preparedFirst, type Db } from '../engine/store';
import { LedgerFaultError } from '../model/errors';
import { type EntryPlace } from '../model/attempt-types';
import { type RowValues } from '../model/types';

/** Rows, each with the entry that it was accepted with. */
export function acceptedRows(db: Db) {
  return db
    .selectFrom('rows')
    .innerJoin('entries', (join) =>
      join
        .onRef('entries.snapshot_id', '=', 'rows.entry_snapshot')
        .onRef('entries.position', '=', 'rows.entry_position'),
    );
}

const entryAt = preparedFirst<EntryPlace, { values: string }>((db, p) =>
  db.selectFrom('entries').select('values').where('snapshot_id', '=', p.snapshot).where('position', '=', p.position),
);

/** The values of a manifest's entry; null if the ledger doesn't have it. */
export async function findValues(db: Db, place: EntryPlace): Promise<RowValues | null> {
  const entry = await entryAt(db, place);
  return entry === undefined ? null : (JSON.parse(entry.values) as RowValues);
}

/** The same for an entry that has to exist. @throws LedgerFaultError */
export async function valuesAt(db: Db, place: EntryPlace): Promise<RowValues> {
  const values = await findValues(db, place);
  if (values) return values;
  throw new LedgerFaultError(`the ledger has no entry ${place.position} of snapshot ${place.snapshot}`);
}
