import { listed } from '../engine/batch';
import { LedgerFaultError } from '../model/errors';
import { isEnd, mayMove, type RowState } from '../model/states';
import { type Db, preparedChange, preparedFirst, type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';

/** What a move may write beside the state. */
export type RowPatch = Partial<
  Omit<RowRecord, 'id' | 'state' | 'campaign' | 'account' | 'profile_id' | 'platform' | 'key'>
>;

/** What a move needs to know about a row. */
export type MovableRow = Pick<RowRecord, 'id' | 'state' | 'key' | 'line'>;

/**
 * The only way in which a row changes its state. Checks the move against the table, writes it as a compare-and-set, and
 * updates `ended_at`. Returns the new state.
 * @throws LedgerFaultError if the table doesn't have the move, or the row was moved meanwhile
 */
export async function moveRow(
  tx: Tx,
  row: MovableRow,
  to: RowState,
  at: number,
  patch: RowPatch = {},
): Promise<RowState> {
  if (!mayMove(row.state, to)) {
    throw new LedgerFaultError(
      `row ${row.line} (key ${row.key}) can’t go from ${row.state} to ${to}; nothing was changed`,
    );
  }
  const written = await writeRow(tx, row.id, { ended_at: isEnd(to) ? at : null, ...patch, state: to }, row.state);
  if (!written) {
    throw new LedgerFaultError(`row ${row.line} (key ${row.key}) is no longer ${row.state}; nothing was changed`);
  }
  return to;
}

/** Moves a row through several states in one transaction, each move checked; the patch is applied with the last one. */
export async function moveRowBy(
  tx: Tx,
  row: MovableRow,
  path: readonly RowState[],
  at: number,
  patch: RowPatch = {},
): Promise<RowState> {
  let current: MovableRow = row;
  for (const [step, to] of path.entries()) {
    await moveRow(tx, current, to, at, step === path.length - 1 ? patch : {});
    current = { ...current, state: to };
  }
  return current.state;
}

/** Writes columns other than the state. */
export async function patchRow(tx: Tx, rowId: number, patch: RowPatch): Promise<void> {
  await writeRow(tx, rowId, patch, null);
}

const rowById = preparedFirst<{ id: number }, RowRecord>((db, p) =>
  db.selectFrom('rows').selectAll().where('id', '=', p.id),
);

export async function readRow(tx: Tx, rowId: number): Promise<RowRecord> {
  const row = await rowById(tx, { id: rowId });
  if (!row) throw new LedgerFaultError(`the ledger has no row with the id ${rowId}`);
  return row;
}

const rowsById = listed<number, object, RowRecord>((db, _, ids) =>
  db.selectFrom('rows').selectAll().where('id', 'in', ids),
);

/** Several at once, by id; those that the ledger doesn't have are missing. */
export async function readRows(tx: Tx, rowIds: readonly number[]): Promise<Map<number, RowRecord>> {
  const rows = await rowsById(tx, rowIds, {});
  return new Map(rows.map((row) => [row.id, row]));
}

type Write = Partial<RowRecord>;
const writes = new Map<string, (on: Db, values: Write & { rowId: number; from: string }) => Promise<number>>();

/**
 * One update, compiled once for each set of columns, of which the code has only a handful. Returns false if the row
 * isn't in `from`.
 */
async function writeRow(tx: Tx, rowId: number, patch: Write, from: RowState | null): Promise<boolean> {
  const columns = (Object.keys(patch) as (keyof Write)[]).sort();
  const name = `${from === null ? '' : 'from '}${columns.join(' ')}`;
  let write = writes.get(name);
  if (!write) {
    write = preparedChange((db, p) => {
      const set: Write = Object.fromEntries(columns.map((column) => [column, p[column]]));
      const update = db.updateTable('rows').set(set).where('id', '=', p.rowId);
      return from === null ? update : update.where('state', '=', p.from as RowState);
    });
    writes.set(name, write);
  }
  return (await write(tx, { ...patch, rowId, from: from ?? '' })) === 1;
}

/** What is cleared when a row is to be tried again: the traces of its last end. */
export const RESET_FOR_RETRY: RowPatch = {
  code: null,
  message: null,
  column_name: null,
  publication_id: null,
  publish_id: null,
  status: null,
  video_id: null,
  video_url: null,
  privacy: null,
  published_at: null,
  candidates: null,
  created_at: null,
  deadline: null,
  sent: 0,
  cancel_asked: 0,
};
