import { LedgerFaultError } from '../model/errors';
import { type EntryPlace } from '../model/attempt-types';
import { type RowState } from '../model/states';
import { type RowValues } from '../model/types';
import { acceptedRows } from '../rows/accepted';
import { moveRowBy, readRow } from '../rows/rows';
import { prepared, preparedFirst, type Store } from '../engine/store';

/** A publication that no row owned when the ledger was reconciled, as the service showed it then. */
export interface UnownedShown {
  id: string;
  platform: string | null;
  profileId: string | null;
  title: string | null;
}

export interface UnownedForRow {
  account: string;
  values: RowValues;
  accepted: EntryPlace;
  unowned: UnownedShown[];
}

const accepted = preparedFirst<
  { rowId: number },
  { account: string; snapshot: number; position: number; values: string }
>((db, p) =>
  acceptedRows(db)
    .select(['rows.account', 'rows.entry_snapshot as snapshot', 'rows.entry_position as position', 'entries.values'])
    .where('rows.id', '=', p.rowId),
);

const leftFor = prepared<{ rowId: number; account: string }, UnownedShown>((db, p) =>
  db
    .selectFrom('strays')
    .leftJoin('publications', (join) =>
      join
        .onRef('publications.account', '=', 'strays.account')
        .onRef('publications.publication_id', '=', 'strays.publication_id'),
    )
    .select(['strays.publication_id as id', 'strays.platform', 'strays.profile_id as profileId', 'strays.title'])
    .where('strays.account', '=', p.account)
    .where('strays.reconciled_at', 'is not', null)
    .where('publications.row_id', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('decisions')
            .select('decisions.row_id')
            .where('decisions.row_id', '=', p.rowId)
            .where('decisions.kind', '=', 'not-published')
            .whereRef('decisions.at', '>=', 'strays.reconciled_at'),
        ),
      ),
    )
    .orderBy('strays.publication_id'),
);

/**
 * The publications that no row owned when the ledger was reconciled and that no row owns now, for a row that is to be
 * sent: none if a person has said since that the row was not published.
 */
export async function unownedFor(store: Store, rowId: number): Promise<UnownedForRow> {
  const row = await accepted(store.db, { rowId });
  if (row === undefined) throw new LedgerFaultError(`the ledger has no row with the id ${rowId}`);
  const { account, snapshot, position } = row;
  const unowned = await leftFor(store.db, { rowId, account });
  return { account, values: JSON.parse(row.values) as RowValues, accepted: { snapshot, position }, unowned };
}

/** A row that may be one of these publications is left to a person, unless its values have changed meanwhile. */
export async function askUnowned(
  store: Store,
  rowId: number,
  found: { accepted: EntryPlace; candidates: readonly string[] },
): Promise<RowState> {
  const { accepted: compared, candidates } = found;
  return store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    const isSame = row.entry_snapshot === compared.snapshot && row.entry_position === compared.position;
    if (!isSame || (row.state !== 'planned' && row.state !== 'waiting')) return row.state;
    return moveRowBy(tx, row, ['creating', 'unconfirmed'], store.now(), {
      code: 'ledger-lost',
      message: 'a publication that no row owned when the ledger was reconciled may be this row’s',
      candidates: JSON.stringify(candidates),
      sent: 1,
    });
  });
}
