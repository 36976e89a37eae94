import { sql } from 'kysely';
import { batched } from '../engine/batch';
import { type Db } from '../engine/store';
import { type StoredEntry } from '../model/submission-types';
import { sourceHash } from '../model/source';
import { findRows, identityOf } from '../rows/row-lookup';

interface Wanted {
  at: number;
  account: string;
  profileId: string;
  platform: string;
  key: string;
  hash: string;
}

const otherKeys = batched<Wanted, { campaign: string }, { at: number; key: string }>(
  [
    ['at', 'integer'],
    ['account', 'text'],
    ['profileId', 'text'],
    ['platform', 'text'],
    ['key', 'text'],
    ['hash', 'text'],
  ],
  (tuples, { campaign }) => sql`
    with wanted(at, account, profile_id, platform, key, hash) as (values ${tuples})
    select wanted.at, rows.key
    from wanted cross join channels cross join rows
    where channels.account = wanted.account and channels.profile_id = wanted.profile_id
      and channels.platform = wanted.platform and rows.source_hash = wanted.hash and rows.channel_id = channels.id
      and rows.campaign = ${campaign} and rows.key <> wanted.key`,
);

/**
 * Entries that only their source identifies, with the key of the campaign's row that has this source now. A sheet may
 * have corrected the source of a row, which keeps its key; corrected in its manifest too, it is still that row. An
 * entry keeps its own key if it has a row under that, or if several rows have its source.
 */
export async function withKeysOfRows(
  db: Db,
  campaign: string,
  page: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  const wanted = page.flatMap(({ entry }, at) =>
    entry.bySource === true && entry.values.source !== null
      ? [{ ...identityOf(entry), at, hash: sourceHash(entry.values.source) }]
      : [],
  );
  if (wanted.length === 0) return page;
  const keys = new Map<number, string[]>();
  for (const { at, key } of await otherKeys(db, wanted, { campaign })) keys.set(at, [...(keys.get(at) ?? []), key]);
  if (keys.size === 0) return page;
  const own = await findRows(db, campaign, page);
  return page.map((stored, at) => {
    const [key, ...others] = keys.get(at) ?? [];
    if (key === undefined || others.length > 0 || own[at] !== null) return stored;
    return { ...stored, entry: { ...stored.entry, key }, recognized: true as const };
  });
}
