import { sql } from 'kysely';
import { shortMessage } from './labels';
import { moveRowBy, type MovableRow } from './rows';
import { prepared, type Tx } from './store';
import { type Entry } from './types';

const MAX_CANDIDATES = 20;

const fitting = prepared<{ account: string; title: string; platform: string; profileId: string }, { id: string }>(
  (db, p) =>
    db
      .selectFrom('strays')
      .leftJoin('publications', (join) =>
        join
          .onRef('publications.account', '=', 'strays.account')
          .onRef('publications.publication_id', '=', 'strays.publication_id'),
      )
      .select('strays.publication_id as id')
      .where('publications.row_id', 'is', null)
      .where('strays.account', '=', p.account)
      .where('strays.title', '=', p.title)
      .where((eb) => eb.or([eb('strays.platform', 'is', null), eb('strays.platform', '=', p.platform)]))
      .where((eb) =>
        eb.or([
          eb('strays.profile_id', 'is', null),
          eb('strays.profile_id', '=', p.profileId),
          sql<boolean>`${p.profileId} = ''`,
        ]),
      )
      .limit(MAX_CANDIDATES),
);

/**
 * A new row that looks like a publication which was there when a lost ledger was reconciled may be it: a person says so,
 * nothing is sent by itself. True when the row is now `unconfirmed`.
 */
export async function askAboutStrays(tx: Tx, entry: Entry, row: MovableRow, now: number): Promise<boolean> {
  const { title, platform, profileId } = entry.values;
  if (title === null || title === '') return false;
  const found = await fitting(tx, { account: entry.account, title, platform, profileId: profileId ?? '' });
  if (found.length === 0) return false;
  await moveRowBy(tx, row, ['creating', 'unconfirmed'], now, {
    code: 'ledger-lost',
    message: shortMessage('a publication of this title was there before this ledger was; it may be this row'),
    candidates: JSON.stringify(found.map(({ id }) => id)),
    sent: 1,
  });
  return true;
}
