import { sql } from 'kysely';
import { shortMessage } from '../model/labels';
import { findRows } from '../rows/row-lookup';
import { moveRowBy } from '../rows/rows';
import { type StoredEntry } from '../model/submission-types';
import { prepared, preparedFirst, type Tx } from '../engine/store';

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

const anyUnowned = preparedFirst<object, { id: string }>((db) =>
  db.selectFrom('strays').select('publication_id as id').limit(1),
);

/**
 * Rows that look like a publication which existed when a lost ledger was reconciled may be that publication: a
 * person decides, and nothing is sent automatically. Such a row becomes `unconfirmed`.
 */
export async function askAboutUnowned(
  tx: Tx,
  campaign: string,
  toSend: readonly StoredEntry[],
  now: number,
): Promise<void> {
  if (toSend.length === 0 || (await anyUnowned(tx, {})) === undefined) return;
  const rows = await findRows(tx, campaign, toSend);
  for (const [at, { entry }] of toSend.entries()) {
    const row = rows[at];
    const { title, platform, profileId } = entry.values;
    if (!row || title === null || title === '') continue;
    const found = await fitting(tx, { account: entry.account, title, platform, profileId: profileId ?? '' });
    if (found.length === 0) continue;
    const moved = { id: row.id, state: row.state, key: entry.key, line: entry.line };
    await moveRowBy(tx, moved, ['creating', 'unconfirmed'], now, {
      code: 'ledger-lost',
      message: shortMessage(
        'a publication with this title, which no row owned when the ledger was reconciled, may be this row’s',
      ),
      candidates: JSON.stringify(found.map(({ id }) => id)),
      sent: 1,
    });
  }
}
