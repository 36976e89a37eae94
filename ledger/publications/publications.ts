import { listed } from '../engine/batch';
import { LedgerFaultError } from '../model/errors';
import { type Db, iso, preparedChange, preparedFirst, type Store, type Tx } from '../engine/store';
import { type Tables } from '../engine/tables';
import { acceptedRows } from '../rows/accepted';
import { type RowValues } from '../model/types';

/** How a row got a publication: its create's answer, adopted on evidence, read later, or named by a person. */
export type Ownership = 'answer' | 'adopted' | 'read' | 'named';

/**
 * Records a publication as a row's. An answer to the row's own create is certain, so it overrides another row that only
 * adopted the publication. Returns the row that owns it now.
 */
export async function ownPublication(
  tx: Tx,
  owned: {
    account: string;
    publicationId: string;
    rowId: number;
    how: Ownership;
    at: number;
    /** The ledger's sequence number when the create that was answered with it was claimed. */
    claimedSequence?: number | null;
  },
): Promise<number> {
  const { account, publicationId, rowId, how, at, claimedSequence = null } = owned;
  const noted = {
    account,
    publication_id: publicationId,
    row_id: rowId,
    how,
    noted_at: at,
    claimed_sequence: claimedSequence,
  };
  if ((await note(tx, noted)) === 1) return rowId;
  const before = await ownerOf(tx, account, publicationId);
  if (!before) throw new LedgerFaultError(`publication ${publicationId} of ${account} could be neither noted nor read`);
  if (before.row_id === rowId || how !== 'answer' || before.how === 'answer') return before.row_id;
  await tx
    .updateTable('publications')
    .set({ row_id: rowId, how })
    .where('account', '=', account)
    .where('publication_id', '=', publicationId)
    .execute();
  await tx
    .updateTable('rows')
    .set({
      code: 'adoption-disputed',
      message: 'the publication adopted for this row turned out to be another row’s; check the channel',
    })
    .where('id', '=', before.row_id)
    .execute();
  return rowId;
}

/** Changes nothing if a row already has the publication. */
const note = preparedChange<Omit<Tables['publications'], 'seen_at' | 'noted_sequence'>>((db, p) =>
  db
    .insertInto('publications')
    .values({
      account: p.account,
      publication_id: p.publication_id,
      row_id: p.row_id,
      how: p.how,
      noted_at: p.noted_at,
      seen_at: null,
      claimed_sequence: p.claimed_sequence,
      noted_sequence: db.selectFrom('sequence').select('value'),
    })
    .onConflict((conflict) => conflict.columns(['account', 'publication_id']).doNothing()),
);

const owner = preparedFirst<{ account: string; id: string }, { row_id: number; how: string }>((db, p) =>
  db
    .selectFrom('publications')
    .select(['row_id', 'how'])
    .where('account', '=', p.account)
    .where('publication_id', '=', p.id),
);

export async function ownerOf(
  db: Db,
  account: string,
  publicationId: string,
): Promise<{ row_id: number; how: string } | undefined> {
  return owner(db, { account, id: publicationId });
}

type Noted = Pick<
  Tables['publications'],
  'publication_id' | 'row_id' | 'how' | 'noted_at' | 'seen_at' | 'claimed_sequence' | 'noted_sequence'
>;

const notedOf = listed<string, { account: string }, Noted>((db, p, ids) =>
  db
    .selectFrom('publications')
    .select(['publication_id', 'row_id', 'how', 'noted_at', 'seen_at', 'claimed_sequence', 'noted_sequence'])
    .where('account', '=', p.account)
    .where('publication_id', 'in', ids),
);

const markSeen = listed<
  string,
  { account: string; at: number },
  Pick<Noted, 'publication_id' | 'row_id' | 'how' | 'noted_at'>
>((db, p, ids) =>
  db
    .updateTable('publications')
    .set({ seen_at: p.at })
    .where('account', '=', p.account)
    .where('publication_id', 'in', ids)
    .where('seen_at', 'is', null)
    .returning(['publication_id', 'row_id', 'how', 'noted_at']),
);

/** An own publication, with the ledger's sequence numbers between which it was created; null if they aren't known. */
export interface OwnedPublication {
  /** ISO */
  notedAt: string;
  claimedSequence: number | null;
  notedSequence: number | null;
}

/** Which of these publications a row owns already. */
export async function owned(
  store: Store,
  account: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OwnedPublication>> {
  const found = await notedOf(store.db, ids, { account });
  return new Map(
    found.map(({ publication_id, noted_at, claimed_sequence, noted_sequence }) => [
      publication_id,
      {
        notedAt: iso(noted_at),
        claimedSequence: claimed_sequence,
        notedSequence: noted_sequence,
      },
    ]),
  );
}

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

/** Whether an own create of a channel, or of a whole account, was ever seen in the account's list. */
export async function seenInList(store: Store, of: { channelId: number } | { account: string }): Promise<boolean> {
  const found = await store.db
    .selectFrom('rows')
    .innerJoin('publications', 'publications.row_id', 'rows.id')
    .select('rows.id')
    .where((eb) => ('account' in of ? eb('rows.account', '=', of.account) : eb('rows.channel_id', '=', of.channelId)))
    .where('publications.seen_at', 'is not', null)
    .where('publications.how', '=', 'answer')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** An own publication that a list showed for the first time, with what was sent for it. */
export interface FirstSeen {
  publicationId: string;
  values: RowValues;
  /** The longest time ago that it may have been created, ms; negative if the clock was set back unnoticed. */
  ageMs: number;
}

/**
 * Records the first time that own publications were seen in the account's list; returns those that a create was
 * answered with. A publication counts as listed late only if the read before could have shown it: own publications
 * recorded between `from` and `to` (ms since the epoch) should have been in that one. `even`: the time of day, and the
 * earliest time at which one was recorded, by a clock that is never set; `previousRead` is by that clock too.
 */
export async function noteSeen(
  store: Store,
  account: string,
  ids: readonly string[],
  at: number,
  previousRead?: { from: number; to: number },
  even: { now: number; of: (notedAt: number) => number } = { now: at, of: (notedAt) => notedAt },
): Promise<FirstSeen[]> {
  // Almost every sweep shows only known publications: check before taking the write lock.
  const fresh = (await notedOf(store.db, ids, { account })).filter((publication) => publication.seen_at === null);
  if (fresh.length === 0) return [];
  return store.write(async (tx) => {
    const firstSeen: FirstSeen[] = [];
    let seen = 0;
    let slowest = 0;
    const ids = fresh.map((publication) => publication.publication_id);
    for (const publication of await markSeen(tx, ids, { account, at })) {
      // Only an answered create shows how long the list takes to show one.
      if (publication.how !== 'answer') continue;
      seen++;
      const notedAt = even.of(publication.noted_at);
      const sent = await sentFor(tx, { rowId: publication.row_id, publicationId: publication.publication_id });
      // Its answer may have been recorded long after it was created, by a worker that was frozen: its claim came before
      // both.
      const ageMs = even.now - even.of(sent?.claimed_at ?? publication.noted_at);
      const values = sent === undefined ? null : (JSON.parse(sent.values) as RowValues);
      if (values !== null) firstSeen.push({ publicationId: publication.publication_id, values, ageMs });
      // It was missing from the read before, although it already existed: the list may hide a publication for this
      // long. If the first read that could show it does, that proves nothing of the kind, however late the read was (a
      // crash, a night). An upload may take an hour.
      const { from, to } = previousRead ?? { from: 0, to: 0 };
      const hiddenMs = values?.sourceKind === 'file' ? even.now - notedAt : ageMs;
      if (from < notedAt && notedAt < to) slowest = Math.max(slowest, hiddenMs);
    }
    if (seen === 0) return firstSeen;
    await tx
      .insertInto('accounts')
      .values({ name: account, base_url: '', bound_at: at, seen, slowest_ms: slowest, habits: null })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({
          seen: eb('accounts.seen', '+', seen),
          slowest_ms: eb
            .case()
            .when('accounts.slowest_ms', '<', slowest)
            .then(slowest)
            .else(eb.ref('accounts.slowest_ms'))
            .end(),
        })),
      )
      .execute();
    return firstSeen;
  });
}

/** A row's values, and when the create that made the publication was claimed. */
const sentFor = preparedFirst<{ rowId: number; publicationId: string }, { values: string; claimed_at: number | null }>(
  (db, p) =>
    acceptedRows(db)
      .leftJoin('attempts', (join) =>
        join.onRef('attempts.row_id', '=', 'rows.id').on('attempts.publication_id', '=', p.publicationId),
      )
      .select(['entries.values', 'attempts.claimed_at'])
      .where('rows.id', '=', p.rowId),
);

/** The row that owns a publication, or has the id as that of its direct publish, as text for people; null if none does. */
export async function ownerRow(
  db: Db,
  account: string,
  publicationId: string,
): Promise<{ rowId: number; campaign: string; key: string; line: number } | null> {
  const found = await db
    .selectFrom('publications')
    .innerJoin('rows', 'rows.id', 'publications.row_id')
    .select(['rows.id as rowId', 'rows.campaign', 'rows.key', 'rows.line'])
    .where('publications.account', '=', account)
    .where('publications.publication_id', '=', publicationId)
    .executeTakeFirst();
  if (found) return found;
  const direct = await db
    .selectFrom('rows')
    .select(['id as rowId', 'campaign', 'key', 'line'])
    .where('account', '=', account)
    .where('publish_id', '=', publicationId)
    .executeTakeFirst();
  return direct ?? null;
}
