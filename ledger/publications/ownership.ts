import { readChannelNames } from '../rows/channel-names';
import { placesOf } from '../rows/line-in-manifest';
import { noteDecision } from '../rows/decisions';
import { shortMessage } from '../model/labels';
import { moveRow, patchRow, readRow } from '../rows/rows';
import { type RowState } from '../model/states';
import { type Db, iso, type Store } from '../engine/store';
import { type Counts } from '../model/types';

/** A row, with what the commands about its publication need. */
export interface OwnerRow {
  rowId: number;
  campaign: string;
  key: string;
  /** Its line in the campaign's manifest, or in `file`: a sheet that had the row last. */
  line: number;
  file: string | null;
  state: RowState;
  account: string;
  platform: string;
  profileId: string | null;
  publicationId: string;
}

const IDS_AT_ONCE = 200;

const COLUMNS = [
  'rows.id as rowId',
  'rows.campaign',
  'rows.key',
  'rows.line',
  'rows.state',
  'rows.account',
  'rows.platform',
  'rows.profile_id',
  'rows.snapshot_id',
  'publications.publication_id',
] as const;

function owners(store: Store) {
  return store.db
    .selectFrom('publications')
    .innerJoin('rows', 'rows.id', 'publications.row_id')
    .select([...COLUMNS]);
}

type OwnerRecord = Awaited<ReturnType<ReturnType<typeof owners>['execute']>>[number];

async function toOwners(db: Db, rows: readonly OwnerRecord[]): Promise<OwnerRow[]> {
  const places = await placesOf(db, rows);
  return rows.map((row, at) => ({
    rowId: row.rowId,
    campaign: row.campaign,
    key: row.key,
    state: row.state,
    account: row.account,
    platform: row.platform,
    profileId: row.profile_id === '' ? null : row.profile_id,
    publicationId: row.publication_id,
    line: places[at]?.line ?? row.line,
    file: places[at]?.file ?? null,
  }));
}

/** The row of each of these publications of an account, by publication id; those that no row owns are left out. */
export async function ownersOf(
  store: Store,
  account: string,
  publicationIds: readonly string[],
): Promise<Map<string, OwnerRow>> {
  const found = new Map<string, OwnerRow>();
  for (let at = 0; at < publicationIds.length; at += IDS_AT_ONCE) {
    const ids = publicationIds.slice(at, at + IDS_AT_ONCE);
    const rows = await owners(store)
      .where('publications.account', '=', account)
      .where('publications.publication_id', 'in', ids)
      .execute();
    for (const owner of await toOwners(store.db, rows)) found.set(owner.publicationId, owner);
  }
  return found;
}

/** A row of a campaign with a given key: a key may have one row in each channel. */
export interface KeyRow {
  account: string;
  platform: string;
  /** Empty for the default channel. */
  profileId: string;
  line: number;
  state: RowState;
  /** For people: `Garden · long`. */
  channel: string;
}

/** Every row of a campaign with this key, the oldest first. */
export async function keyRows(store: Store, campaign: string, key: string): Promise<KeyRow[]> {
  const found = await store.db
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select(['rows.account', 'rows.platform', 'rows.profile_id as profileId', 'rows.line', 'rows.state'])
    .select('channels.label as channel')
    .where('rows.campaign', '=', campaign)
    .where('rows.key', '=', key)
    .orderBy('rows.id')
    .execute();
  const nameOf = await readChannelNames(store.db);
  return found.map((row) => {
    const profileId = row.profileId === '' ? null : row.profileId;
    return { ...row, channel: nameOf({ ...row, profileId, label: row.channel }) };
  });
}

/** Drafts that rows of an account have, newest first: the service's list can't filter for them (section 4.4). */
export async function draftRows(store: Store, account: string): Promise<OwnerRow[]> {
  const rows = await owners(store)
    .where('publications.account', '=', account)
    .where('rows.state', '=', 'drafted')
    .whereRef('rows.publication_id', '=', 'publications.publication_id')
    .orderBy('rows.created_at', 'desc')
    .orderBy('rows.id', 'desc')
    .execute();
  return toOwners(store.db, rows);
}

/** The newest publications of a campaign's rows that are in one of these states, in the manifest's order. */
export async function publicationsIn(store: Store, campaign: string, states: readonly RowState[]): Promise<OwnerRow[]> {
  const rows = await owners(store)
    .where('rows.campaign', '=', campaign)
    .where('rows.state', 'in', states)
    .whereRef('rows.publication_id', '=', 'publications.publication_id')
    .orderBy('rows.position')
    .orderBy('rows.id')
    .execute();
  return toOwners(store.db, rows);
}

/** Rows by state of each profile, over all campaigns; a null profile is the default channel. */
export async function rowsByProfile(
  store: Store,
): Promise<{ account: string; profileId: string | null; counts: Counts }[]> {
  const groups = await store.db
    .selectFrom('rows')
    .select((eb) => ['account', 'profile_id', 'state', eb.fn.countAll<number | string>().as('rows')])
    .groupBy(['account', 'profile_id', 'state'])
    .execute();
  const found = new Map<string, { account: string; profileId: string | null; counts: Record<string, number> }>();
  for (const { account, profile_id, state, rows } of groups) {
    const name = JSON.stringify([account, profile_id]);
    const one = found.get(name) ?? { account, profileId: profile_id === '' ? null : profile_id, counts: {} };
    one.counts[state] = Number(rows);
    found.set(name, one);
  }
  return [...found.values()];
}

/** The decisions that people made about a row's publications, oldest first. */
export async function decisionsOf(
  store: Store,
  rowId: number,
): Promise<{ kind: string; publicationId: string | null; by: string; at: string }[]> {
  const found = await store.db
    .selectFrom('decisions')
    .select(['kind', 'publication_id', 'by', 'at'])
    .where('row_id', '=', rowId)
    .orderBy('id')
    .execute();
  return found.map(({ kind, publication_id, by, at }) => ({ kind, publicationId: publication_id, by, at: iso(at) }));
}

/** Records that a publication was changed by hand. Its row stays the same, with the status that the service shows now. */
export async function noteEdited(
  store: Store,
  input: { rowId: number; publicationId: string; status: string | null; by: string },
): Promise<void> {
  const { rowId, publicationId, status, by } = input;
  await store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    await noteDecision(tx, { rowId, kind: 'edited', publicationId, by, at: store.now() });
    if (row.publication_id === publicationId && status !== null) await patchRow(tx, rowId, { status });
  });
}

/**
 * Records that a publication's record was deleted. The row and its history stay. A row that was still being followed
 * can't be followed any more, so it becomes overdue at once.
 */
export async function noteDeleted(
  store: Store,
  input: { rowId: number; publicationId: string; by: string },
): Promise<void> {
  const { rowId, publicationId, by } = input;
  await store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    const now = store.now();
    await noteDecision(tx, { rowId, kind: 'deleted', publicationId, by, at: now });
    if (row.publication_id !== publicationId) return;
    const message = shortMessage(`its record at the service was deleted by ${by}`);
    if (row.state === 'processing') await moveRow(tx, row, 'overdue', now, { code: 'record-deleted', message });
    else if (row.code === null) await patchRow(tx, rowId, { code: 'record-deleted', message });
  });
}
