import { ownerOf } from './publications';
import { moveRowBy, readRow } from './rows';
import { settingsOf } from './snapshots';
import { type RowState } from './states';
import { prepared, type Store } from './store';

/**
 * Publications that a row had before it was planned again: a failed one may have been published since, so they are read
 * once more before anything new is created.
 */
export function createEarlier(store: Store): (rowId: number) => Promise<string[]> {
  const earlier = prepared<{ rowId: number }, { publication_id: string }>((db, p) =>
    db
      .selectFrom('rows')
      .innerJoin('publications', 'publications.row_id', 'rows.id')
      .select('publications.publication_id')
      .where('rows.id', '=', p.rowId)
      .where('rows.publication_id', 'is', null)
      .where('rows.state', 'in', ['planned', 'waiting'])
      .orderBy('publications.noted_at', 'desc'),
  );
  return async (rowId) => (await earlier(store.db, { rowId })).map((publication) => publication.publication_id);
}

/**
 * Gives a row back a publication it had before, which turned out not to have failed for good: it is followed, and nothing
 * new is created. Nothing happens when the row was claimed, or moved, meanwhile.
 */
export async function revive(
  store: Store,
  rowId: number,
  found: { publicationId: string; status: string },
): Promise<RowState> {
  return store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    const owner = await ownerOf(tx, row.account, found.publicationId);
    if ((row.state !== 'planned' && row.state !== 'waiting') || owner?.row_id !== row.id) return row.state;
    const now = store.now();
    const { giveUpAfterMs } = await settingsOf(store, tx, row.entry_snapshot);
    return moveRowBy(tx, row, ['creating', found.status === 'draft' ? 'drafted' : 'processing'], now, {
      publication_id: found.publicationId,
      status: found.status,
      code: null,
      message: 'its earlier publication was read again and has not failed; nothing new was created',
      created_at: now,
      deadline: now + giveUpAfterMs,
      sent: 1,
    });
  });
}
