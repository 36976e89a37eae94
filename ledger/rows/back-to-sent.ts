import { type EntryPlace } from '../model/attempt-types';
import { differences } from '../model/converge';
import { rowLabel } from '../model/labels';
import { sourceHash } from '../model/source';
import { PATCH_PENDING, PATCH_REFUSED, PUBLISHED_DIFFERS, type RowState } from '../model/states';
import { type RowValues } from '../model/types';
import { valuesAt } from './accepted';
import { type RowPatch } from './rows';
import { type Tx } from '../engine/store';
import { type RowRecord, type Tables } from '../engine/tables';

type Accepted = Pick<RowRecord, 'entry_snapshot' | 'entry_position'>;

/** The entry that the row was last accepted with. */
export function acceptedPlace(row: Accepted): EntryPlace {
  return { snapshot: row.entry_snapshot, position: row.entry_position };
}

/** The entry that the attempt sent. */
export function placeOf(
  attempt: Pick<Tables['attempts'], 'entry_snapshot' | 'entry_position'>,
  row: Accepted,
): EntryPlace {
  return {
    snapshot: attempt.entry_snapshot ?? row.entry_snapshot,
    position: attempt.entry_position ?? row.entry_position,
  };
}

/** The entry whose values a publication of the row has: what was sent, or what its draft was last changed to. */
export async function placeOfPublication(tx: Tx, row: RowRecord, publicationId: string): Promise<EntryPlace> {
  const attempts = await tx
    .selectFrom('attempts')
    .select(['publication_id', 'settled_as', 'entry_snapshot', 'entry_position'])
    .where('row_id', '=', row.id)
    .orderBy('number', 'desc')
    .execute();
  const made =
    attempts.find((one) => one.publication_id === publicationId) ??
    attempts.find(({ settled_as }) => settled_as !== null && FOUND.includes(settled_as));
  return made === undefined ? acceptedPlace(row) : placeOf(made, row);
}

/** How an attempt is settled whose publication was found instead of answered. */
const FOUND: readonly string[] = ['adopt', 'published', 'read'];

/**
 * A publication has the values that were sent, even if its row has accepted newer ones since: the row goes back to those
 * values. The changes of a draft that PATCH allows are then made at the service; anything else is not
 * live as requested.
 */
export async function backToSent(
  tx: Tx,
  row: RowRecord,
  { place, sent, state }: { place: EntryPlace; sent: RowValues; state: RowState },
): Promise<RowPatch> {
  if (place.snapshot === row.entry_snapshot && place.position === row.entry_position) return {};
  const back: RowPatch = {
    entry_snapshot: place.snapshot,
    entry_position: place.position,
    label: rowLabel({ line: row.line, key: row.key, values: sent }),
    source_hash: sourceHash(sent.source),
  };
  const wanted = await valuesAt(tx, acceptedPlace(row));
  if (state !== 'drafted') {
    const { names } = differences(sent, wanted);
    const [column] = names;
    if (column === undefined) return back;
    const message = `not live as it was corrected (${names.join(', ')}): an earlier create had already made this publication`;
    return { ...back, code: PUBLISHED_DIFFERS, column_name: column, message };
  }
  return wanted.status === 'published'
    ? {
        ...back,
        code: PATCH_REFUSED,
        message: 'not published: an earlier create had already made this draft',
        deadline: null,
      }
    : { ...back, code: PATCH_PENDING, deadline: null };
}
