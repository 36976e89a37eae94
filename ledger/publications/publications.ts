import { LedgerFaultError } from '../model/errors';
import { type Db, iso, preparedChange, preparedFirst, type Store, type Tx } from '../engine/store';
import { type Tables } from '../engine/tables';
import { notedOf } from './sightings';

/** How a row got a publication: its create's answer, adopted on evidence, read later, or named by a person. */
export type Ownership = 'answer' | 'adopted' | 'read' | 'named';

/**
 * Records a publication as a row's. An answer to the row's own create overrides another row that only adopted the
 * publication, unless that was before the create was claimed: then the publication can't be the create's. Returns the
 * row that owns it now.
 */
export async function ownPublication(
  tx: Tx,
  owned: {
    account: string;
    publicationId: string;
    rowId: number;
    how: Ownership;
    at: number;
    /** The ledger's sequence number when the create that was answered with it was claimed; null: not known. */
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
  const isOlder = claimedSequence === null || claimedSequence >= (before.noted_sequence ?? 0);
  if (before.row_id === rowId || how !== 'answer' || before.how === 'answer' || isOlder) return before.row_id;
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

type Owner = Pick<Tables['publications'], 'row_id' | 'how' | 'noted_sequence'>;

const owner = preparedFirst<{ account: string; id: string }, Owner>((db, p) =>
  db
    .selectFrom('publications')
    .select(['row_id', 'how', 'noted_sequence'])
    .where('account', '=', p.account)
    .where('publication_id', '=', p.id),
);

export async function ownerOf(db: Db, account: string, publicationId: string): Promise<Owner | undefined> {
  return owner(db, { account, id: publicationId });
}

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
