import { LedgerStateError } from './errors';
import { isEnd, mayMove, type RowState } from './states';
import { type Tx } from './store';
import { type RowRecord } from './tables';

/** What a move may write beside the state. */
export type RowPatch = Partial<
  Omit<RowRecord, 'id' | 'state' | 'campaign' | 'account' | 'profile_id' | 'platform' | 'key'>
>;

/** What a move needs to know of a row. */
export type MovableRow = Pick<RowRecord, 'id' | 'state' | 'key' | 'line'>;

/**
 * The only way a row changes its state. Checks the move against the table, writes it as a compare-and-set, and keeps
 * `ended_at` in step. Gives the new state.
 * @throws LedgerStateError when the table doesn't have the move, or the row was moved meanwhile
 */
export async function moveRow(
  tx: Tx,
  row: MovableRow,
  to: RowState,
  at: number,
  patch: RowPatch = {},
): Promise<RowState> {
  if (!mayMove(row.state, to)) {
    throw new LedgerStateError(
      `row ${row.line} (key ${row.key}) can't go from ${row.state} to ${to}; nothing was changed`,
    );
  }
  const ended = isEnd(to) ? at : null;
  const moved = await tx
    .updateTable('rows')
    .set({ ended_at: ended, ...patch, state: to })
    .where('id', '=', row.id)
    .where('state', '=', row.state)
    .executeTakeFirstOrThrow();
  if (moved.numUpdatedRows !== 1n) {
    throw new LedgerStateError(`row ${row.line} (key ${row.key}) is no longer ${row.state}; nothing was changed`);
  }
  return to;
}

/** Moves a row through several states in one transaction, each move checked; the patch goes with the last. */
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

/** Writes what isn't the state. */
export async function patchRow(tx: Tx, rowId: number, patch: RowPatch): Promise<void> {
  await tx.updateTable('rows').set(patch).where('id', '=', rowId).execute();
}

export async function readRow(tx: Tx, rowId: number): Promise<RowRecord> {
  const row = await tx.selectFrom('rows').selectAll().where('id', '=', rowId).executeTakeFirst();
  if (!row) throw new LedgerStateError(`the ledger has no row with the id ${rowId}`);
  return row;
}

/** What a row loses when it is to be tried again: the traces of its last end. */
export const CLEAN: RowPatch = {
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
