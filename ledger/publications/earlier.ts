import { backToSent, placeOfPublication } from '../rows/back-to-sent';
import { listed } from '../engine/batch';
import { shortMessage } from '../model/labels';
import { ownerOf } from './publications';
import { valuesAt } from '../rows/accepted';
import { moveRowBy, readRow } from '../rows/rows';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
import { type Store } from '../engine/store';

/**
 * Publications that a row had before it was planned again: a failed one may have been published since, so they are read
 * once more before anything new is created. By row, newest first; rows that had none are left out.
 */
export function createEarlier(store: Store): (rowIds: readonly number[]) => Promise<Map<number, string[]>> {
  const earlier = listed<number, object, { id: number; publication_id: string }>((db, _, ids) =>
    db
      .selectFrom('rows')
      .innerJoin('publications', 'publications.row_id', 'rows.id')
      .select(['rows.id', 'publications.publication_id'])
      .where('rows.id', 'in', ids)
      .where('rows.publication_id', 'is', null)
      .where('rows.state', 'in', ['planned', 'waiting'])
      .orderBy('publications.noted_at', 'desc'),
  );
  return async (rowIds) => {
    const found = new Map<number, string[]>();
    for (const { id, publication_id } of await earlier(store.db, rowIds, {})) {
      found.set(id, [...(found.get(id) ?? []), publication_id]);
    }
    return found;
  };
}

/**
 * Returns to a row a publication it had before, because that turned out not to have failed: it is followed, and nothing
 * new is created. Nothing happens if the row was claimed, or moved, meanwhile.
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
    const state = found.status === 'draft' ? 'drafted' : 'processing';
    const place = await placeOfPublication(tx, row, found.publicationId);
    return moveRowBy(tx, row, ['creating', state], now, {
      publication_id: found.publicationId,
      status: found.status,
      code: null,
      message: 'its earlier publication was read again and has not failed; nothing new was created',
      created_at: now,
      deadline: now + giveUpAfterMs,
      sent: 1,
      ...(await backToSent(tx, row, { place, sent: await valuesAt(tx, place), state })),
    });
  });
}

/** The code of a row whose draft is to be replaced, and may have been published. */
export const DRAFT_UNPROVEN = 'draft-unproven';

/**
 * A draft that is to be replaced may exist, and may have been published: a person decides, and nothing new is created.
 * Nothing happens if the row was claimed, or moved, meanwhile.
 */
export async function askAboutDraft(
  store: Store,
  rowId: number,
  { publicationId, why }: { publicationId: string; why: string },
): Promise<RowState> {
  return store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    if (row.state !== 'planned' && row.state !== 'waiting') return row.state;
    return moveRowBy(tx, row, ['creating', 'unconfirmed'], store.now(), {
      code: DRAFT_UNPROVEN,
      message: shortMessage(`not replaced, since the draft ${publicationId} may have been published: ${why}`),
      candidates: JSON.stringify([publicationId]),
      sent: 1,
    });
  });
}
