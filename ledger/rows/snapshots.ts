import { sql } from 'kysely';
import { batched } from '../engine/batch';
import { identityOf } from './row-lookup';
import { type Db, PAGE_ROWS, prepared, type Store, type Tx, yieldToEventLoop } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type StoredEntry, type SubmissionInput } from '../model/submission-types';
import { type CampaignSettings, type Entry, type RowValues } from '../model/types';

/** Snapshots of submits that never completed are removed after a day (ms). */
const ABANDONED_AFTER_MS = 24 * 3600 * 1000;

/** Entries in pages of at most 500, each held in memory no longer than its page. */
export async function* pagesOf(entries: Iterable<Entry> | AsyncIterable<Entry>): AsyncGenerator<StoredEntry[]> {
  let page: StoredEntry[] = [];
  // Awaiting every item of a plain iterable would cost more than processing it.
  if (Symbol.iterator in entries) {
    for (const entry of entries) {
      page.push(withText(entry));
      if (page.length < PAGE_ROWS) continue;
      yield page;
      page = [];
      await yieldToEventLoop();
    }
  } else {
    for await (const entry of entries) {
      page.push(withText(entry));
      if (page.length < PAGE_ROWS) continue;
      yield page;
      page = [];
      await yieldToEventLoop();
    }
  }
  if (page.length > 0) yield page;
}

function withText(entry: Entry): StoredEntry {
  return { entry, text: JSON.stringify(entry.values) };
}

/** The same file with the same effective rows, stored completely before; null if there is none. */
export async function findSnapshot(
  db: Db,
  { campaign, snapshot }: Omit<SubmissionInput, 'entries'>,
): Promise<number | null> {
  const found = await db
    .selectFrom('snapshots')
    .select('id')
    .where('campaign', '=', campaign)
    .where('hash', '=', snapshot.hash)
    .where('file_hash', '=', snapshot.fileHash)
    .where('path', '=', snapshot.path)
    .where('complete', '=', 1)
    .executeTakeFirst();
  return found?.id ?? null;
}

export async function openSnapshot(
  store: Store,
  { campaign, snapshot }: Omit<SubmissionInput, 'entries'>,
): Promise<number> {
  return store.write(async (tx) => {
    const made = await tx
      .insertInto('snapshots')
      .values({
        campaign,
        hash: snapshot.hash,
        file_hash: snapshot.fileHash,
        path: snapshot.path,
        format: snapshot.format,
        text: snapshot.text,
        columns: JSON.stringify(snapshot.columns),
        settings: JSON.stringify(snapshot.settings),
        entries: 0,
        complete: 0,
        stored_at: store.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return made.id;
  });
}

const insertEntries = batched<Omit<Tables['entries'], 'snapshot_id'>, { snapshotId: number }>(
  [
    ['position', 'integer'],
    ['line', 'integer'],
    ['key', 'text'],
    ['account', 'text'],
    ['profile_id', 'text'],
    ['platform', 'text'],
    ['skip', 'integer'],
    ['values', 'text'],
    ['cells', 'text'],
  ],
  (tuples, { snapshotId }) => sql`
    with page(position, line, key, account, profile_id, platform, skip, "values", cells) as (values ${tuples})
    insert into entries (snapshot_id, position, line, key, account, profile_id, platform, skip, "values", cells)
    select cast(${snapshotId} as integer), page.* from page`,
);

/** Stores a page of entries in one transaction. */
export async function writeEntries(store: Store, snapshotId: number, page: readonly StoredEntry[]): Promise<void> {
  const records = page.map(({ entry, text }) => {
    const { account, profileId, platform, key } = identityOf(entry);
    return {
      position: entry.position,
      line: entry.line,
      key,
      account,
      profile_id: profileId,
      platform,
      skip: entry.skip ? 1 : 0,
      values: text,
      cells: JSON.stringify(entry.cells),
    };
  });
  await store.write((tx) => insertEntries(tx, records, { snapshotId }));
}

type EntryRecord = Pick<Tables['entries'], 'position' | 'line' | 'key' | 'account' | 'skip' | 'values'>;

const entryPage = prepared<{ snapshotId: number; from: number; limit: number }, EntryRecord>((on, p) =>
  on
    .selectFrom('entries')
    .select(['position', 'line', 'key', 'account', 'skip', 'values'])
    .where('snapshot_id', '=', p.snapshotId)
    .where('position', '>=', p.from)
    .orderBy('position')
    .limit(p.limit),
);

/** A page of at most 500 stored entries from a position on, without the user's own columns, which no decision needs. */
export async function readEntries(on: Db, snapshotId: number, from: number): Promise<StoredEntry[]> {
  return (await entryPage(on, { snapshotId, from, limit: PAGE_ROWS })).map(toEntry);
}

function toEntry(record: EntryRecord): StoredEntry {
  const entry: Entry = {
    position: record.position,
    line: record.line,
    key: record.key,
    account: record.account,
    values: JSON.parse(record.values) as RowValues,
    skip: record.skip === 1,
    cells: {},
  };
  return { entry, text: record.values };
}

/** Removes a snapshot that no submission uses, page by page. */
export async function dropSnapshot(store: Store, snapshotId: number): Promise<void> {
  for (let left = true; left;) {
    left = await store.write(async (tx) => {
      const page = await tx
        .selectFrom('entries')
        .select('position')
        .where('snapshot_id', '=', snapshotId)
        .orderBy('position')
        .limit(PAGE_ROWS)
        .execute();
      const last = page.at(-1);
      if (!last) {
        await tx.deleteFrom('snapshots').where('id', '=', snapshotId).execute();
        return false;
      }
      await tx
        .deleteFrom('entries')
        .where('snapshot_id', '=', snapshotId)
        .where('position', '<=', last.position)
        .execute();
      return true;
    });
    await yieldToEventLoop();
  }
}

/** Removes what killed submits have left. */
export async function dropAbandoned(store: Store): Promise<void> {
  const abandoned = await store.db
    .selectFrom('snapshots')
    .select('id')
    .where('complete', '=', 0)
    .where('stored_at', '<', store.now() - ABANDONED_AFTER_MS)
    .execute();
  for (const { id } of abandoned) await dropSnapshot(store, id);
}

const settingsKept = new WeakMap<Store, Map<number, CampaignSettings>>();

/** The settings of a snapshot; they never change, so they are read once. */
export async function settingsOf(store: Store, tx: Tx | Db, snapshotId: number): Promise<CampaignSettings> {
  const kept = settingsKept.get(store) ?? new Map<number, CampaignSettings>();
  settingsKept.set(store, kept);
  const known = kept.get(snapshotId);
  if (known) return known;
  const { settings } = await tx
    .selectFrom('snapshots')
    .select('settings')
    .where('id', '=', snapshotId)
    .executeTakeFirstOrThrow();
  const read = JSON.parse(settings) as CampaignSettings;
  kept.set(snapshotId, read);
  return read;
}
