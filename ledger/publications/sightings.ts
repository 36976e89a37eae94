import { listed } from '../engine/batch';
import { preparedFirst, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { acceptedRows } from '../rows/accepted';
import { type RowValues } from '../model/types';

type Noted = Pick<
  Tables['publications'],
  'publication_id' | 'row_id' | 'how' | 'noted_at' | 'seen_at' | 'claimed_sequence' | 'noted_sequence'
>;

export const notedOf = listed<string, { account: string }, Noted>((db, p, ids) =>
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

/** The channels of an account, by their text ids, of which an own create was ever seen in the account's list. */
export async function channelsInList(store: Store, account: string): Promise<Set<string>> {
  const found = await store.db
    .selectFrom('rows')
    .innerJoin('publications', 'publications.row_id', 'rows.id')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select('channels.text_id')
    .distinct()
    .where('rows.account', '=', account)
    .where('publications.seen_at', 'is not', null)
    .where('publications.how', '=', 'answer')
    .execute();
  return new Set(found.map(({ text_id }) => text_id));
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
