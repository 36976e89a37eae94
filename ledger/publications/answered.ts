import { listed } from '../engine/batch';
import { type Store } from '../engine/store';
import { acceptedRows } from '../rows/accepted';
import { type RowValues } from '../model/types';

/** A publication that a row has because its create was answered with it. */
export interface AnsweredPublication {
  publicationId: string;
  rowId: number;
  attempt: number;
  values: RowValues;
  /** When its create was claimed, ms since the epoch. */
  claimedAt: number;
  /** Its row is final: its publication doesn't change any more. */
  ended: boolean;
}

type Answered = { publication_id: string; row_id: number; attempts: number; state: string; values: string; at: number };

const answeredOf = listed<string, { account: string }, Answered>((db, p, ids) =>
  acceptedRows(db)
    .innerJoin('publications', 'publications.row_id', 'rows.id')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.row_id', '=', 'rows.id').onRef('attempts.number', '=', 'rows.attempts'),
    )
    .select([
      'publications.publication_id',
      'publications.row_id',
      'rows.attempts',
      'rows.state',
      'entries.values',
      'attempts.claimed_at as at',
    ])
    .where('publications.account', '=', p.account)
    .where('publications.how', '=', 'answer')
    .where('publications.publication_id', 'in', ids)
    .whereRef('rows.publication_id', '=', 'publications.publication_id'),
);

/** Those of these publications that rows have because their creates were answered with them. */
export async function answeredWith(
  store: Store,
  account: string,
  ids: readonly string[],
): Promise<AnsweredPublication[]> {
  const found = await answeredOf(store.db, ids, { account });
  return found.map(({ publication_id, row_id, attempts, state, values, at }) => ({
    publicationId: publication_id,
    rowId: row_id,
    attempt: attempts,
    values: JSON.parse(values) as RowValues,
    claimedAt: at,
    ended: state !== 'processing',
  }));
}

/**
 * Own publications that a current list has to show: all that were answered since the ledger's sequence number was
 * `since`, and some before it, without those recorded after `until` (ms since the epoch). Newest first.
 */
export async function acceptedSince(
  store: Store,
  input: { account: string; since: number; until: number; before: number },
): Promise<string[]> {
  const { account, since, until, before } = input;
  const answered = () =>
    store.db
      .selectFrom('publications')
      .select('publication_id')
      .where('account', '=', account)
      .where('how', '=', 'answer')
      .where('noted_at', '<=', until)
      .orderBy('noted_sequence', 'desc');
  const later = await answered().where('noted_sequence', '>=', since).execute();
  const earlier = await answered().where('noted_sequence', '<', since).limit(before).execute();
  return [...later, ...earlier].map(({ publication_id }) => publication_id);
}
