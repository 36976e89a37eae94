import { listed } from '../engine/batch';
import { type Store } from '../engine/store';
import { acceptedRows } from '../rows/accepted';
import { isEnd } from '../model/states';
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

/** An own publication that a current list has to show, unless its record was deleted. */
export interface ExpectedPublication {
  id: string;
  /** The ledger's sequence numbers when its create was claimed (null: not known), and when it was recorded. */
  claimedSequence: number | null;
  notedSequence: number;
  /**
   * Whether its record may be deleted: reelay `did` that; or a person `may` have at the service, since a read showed
   * it before and its row has ended. Otherwise (null) its absence shows that the list shows an earlier state, or hides
   * some.
   */
  deleted: 'did' | 'may' | null;
}

/**
 * Own publications that were answered since the ledger's sequence number was `since`, and some before it, without those
 * that were recorded after `until` (ms since the epoch) and that no list has shown yet. Newest first.
 */
export async function acceptedSince(
  store: Store,
  input: { account: string; since: number; until: number; before: number },
): Promise<ExpectedPublication[]> {
  const { account, since, until, before } = input;
  const answered = () =>
    store.db
      .selectFrom('publications')
      .innerJoin('rows', 'rows.id', 'publications.row_id')
      .leftJoin('decisions', (join) =>
        join
          .onRef('decisions.row_id', '=', 'publications.row_id')
          .onRef('decisions.publication_id', '=', 'publications.publication_id')
          .on('decisions.kind', '=', 'deleted'),
      )
      .select(['publications.publication_id as id', 'publications.seen_at as seenAt'])
      .select(['publications.claimed_sequence as claimedSequence', 'publications.noted_sequence as notedSequence'])
      .select(['rows.state', 'rows.publication_id as current', 'decisions.at as deletedAt'])
      .where('publications.account', '=', account)
      .where('publications.how', '=', 'answer')
      .where((eb) => eb.or([eb('publications.noted_at', '<=', until), eb('publications.seen_at', 'is not', null)]))
      .orderBy('publications.noted_sequence', 'desc');
  const later = await answered().where('publications.noted_sequence', '>=', since).execute();
  const earlier = () => answered().where('publications.noted_sequence', '<', since);
  const kept = await earlier().where('decisions.at', 'is', null).limit(before).execute();
  // If all were deleted, the newest one: a list that shows none of them proves nothing.
  const found = later.length + kept.length > 0 ? [...later, ...kept] : await earlier().limit(1).execute();
  return found.map(({ id, claimedSequence, notedSequence, seenAt, state, current, deletedAt }) => {
    const isCurrent = current === id;
    // These ends are recorded only after a read by its id.
    const wasSeen = seenAt !== null || (isCurrent && (state === 'published' || state === 'failed'));
    const hasEnded = !isCurrent || isEnd(state);
    const deleted = deletedAt !== null ? 'did' : wasSeen && hasEnded ? 'may' : null;
    return { id, claimedSequence, notedSequence: notedSequence ?? 0, deleted };
  });
}
