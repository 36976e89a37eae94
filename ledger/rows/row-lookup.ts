import { sql } from 'kysely';
import { batched } from '../engine/batch';
import { type ExistingRow, type StoredEntry } from '../model/submission-types';
import { placesOf, placeText } from './line-in-manifest';
import { sourceHash } from '../model/source';
import { type RowState } from '../model/states';
import { type Db, prepared, preparedFirst } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type Entry, type RowValues } from '../model/types';

/** A row with what a decision and its import need. */
export interface FoundRow extends ExistingRow {
  id: number;
  snapshotId: number;
  position: number;
  line: number;
  key: string;
  account: string;
  channel: string;
  label: string;
  message: string | null;
  column: string | null;
  runId: number | null;
  readyAt: number;
  cancelAsked: number;
  /** The values that a correcting sheet replaced, as text. */
  replaced: string | null;
  runOpen: boolean;
  /** Not sent yet, and selected by an open run. */
  held: boolean;
}

interface FoundRecord {
  at: number;
  id: number;
  snapshot_id: number;
  position: number;
  line: number;
  key: string;
  account: string;
  text_id: string;
  label: string;
  state: RowState;
  code: string | null;
  message: string | null;
  column_name: string | null;
  sent: number;
  ready_at: number;
  cancel_asked: number;
  replaced_values: string | null;
  run_id: number | null;
  campaign: string;
  number: number | null;
  open: number | null;
  values: string;
}

const FOUND = sql`
  rows.id, rows.snapshot_id, rows.position, rows.line, rows.key, rows.account, channels.text_id, rows.label, rows.state, rows.code,
  rows.message, rows.column_name, rows.sent, rows.ready_at, rows.cancel_asked, rows.replaced_values, rows.run_id, rows.campaign,
  runs.number, runs.open, entries."values"`;

const FOUND_IN = sql`
  join entries on entries.snapshot_id = rows.entry_snapshot and entries.position = rows.entry_position
  join channels on channels.id = rows.channel_id
  left join runs on runs.id = rows.run_id`;

type SourceRecord = Pick<
  RowRecord,
  'campaign' | 'line' | 'key' | 'account' | 'profile_id' | 'platform' | 'snapshot_id'
> & {
  at: number;
};

interface Wanted extends Identity {
  at: number;
  hash: string;
}

const WANTED = [
  ['at', 'integer'],
  ['account', 'text'],
  ['profileId', 'text'],
  ['platform', 'text'],
] as const;

// A cross join fixes the order: from the wanted values to the rows, by their index.
const byIdentity = batched<Wanted, { campaign: string }, FoundRecord>(
  [...WANTED, ['key', 'text']],
  (tuples, { campaign }) => sql`
    with wanted(at, account, profile_id, platform, key) as (values ${tuples})
    select wanted.at, ${FOUND} from wanted cross join rows ${FOUND_IN}
    where rows.campaign = ${campaign} and rows.account = wanted.account and rows.profile_id = wanted.profile_id
      and rows.platform = wanted.platform and rows.key = wanted.key`,
);

const bySource = batched<Wanted, { campaign: string }, SourceRecord>(
  [...WANTED, ['hash', 'text']],
  (tuples, { campaign }) => sql`
    with wanted(at, account, profile_id, platform, hash) as (values ${tuples})
    select wanted.at, rows.campaign, rows.line, rows.key, rows.account, rows.profile_id, rows.platform, rows.snapshot_id
    from wanted cross join channels cross join rows
    where channels.account = wanted.account and channels.profile_id = wanted.profile_id
      and channels.platform = wanted.platform and rows.source_hash = wanted.hash and rows.channel_id = channels.id
      and rows.campaign <> ${campaign}
      and (rows.state not in ('failed', 'rejected', 'cancelled') or (rows.state = 'cancelled' and rows.sent = 1))`,
);

const byId = batched<{ id: number }, object, FoundRecord>(
  [['id', 'integer']],
  (tuples) => sql`
    with wanted(id) as (values ${tuples})
    select 0 as at, ${FOUND} from wanted cross join rows ${FOUND_IN} where rows.id = wanted.id`,
);

const anyRow = preparedFirst<{ campaign: string }, { id: number }>((on, p) =>
  on.selectFrom('rows').select('id').where('campaign', '=', p.campaign).limit(1),
);

const otherCampaign = preparedFirst<{ campaign: string }, { name: string }>((on, p) =>
  on.selectFrom('campaigns').select('name').where('name', '!=', p.campaign).limit(1),
);

const idsAfter = prepared<{ campaign: string; id: number; limit: number }, { id: number }>((on, p) =>
  on
    .selectFrom('rows')
    .select('id')
    .where('campaign', '=', p.campaign)
    .where('id', '>', p.id)
    .orderBy('id')
    .limit(p.limit),
);

/** The rows that entries name, in the order of the entries; null for an entry without a row. */
export async function findRows(on: Db, campaign: string, page: readonly StoredEntry[]): Promise<(FoundRow | null)[]> {
  const rows = new Array<FoundRow | null>(page.length).fill(null);
  if ((await anyRow(on, { campaign })) === undefined) return rows;
  const wanted = page.map(({ entry }, at) => ({ ...identityOf(entry), at, hash: '' }));
  for (const record of await byIdentity(on, wanted, { campaign })) {
    rows[record.at] = toFound(record, page[record.at]);
  }
  return rows;
}

/** A row of another campaign. */
export interface RowElsewhere {
  campaign: string;
  /** `campaign NAME, row 12` */
  place: string;
}

/**
 * Where the entries' sources are or were sent to the same channel in another campaign; null: nowhere. In the order of
 * the entries.
 */
export async function findElsewhere(
  on: Db,
  campaign: string,
  page: readonly StoredEntry[],
): Promise<(RowElsewhere | null)[]> {
  const places = new Array<RowElsewhere | null>(page.length).fill(null);
  if ((await otherCampaign(on, { campaign })) === undefined) return places;
  const wanted = page
    .map(({ entry }, at) => ({ ...identityOf(entry), at, hash: sourceHash(entry.values.source) }))
    .filter(({ hash }) => hash !== '');
  const others = new Map<number, SourceRecord>();
  for (const other of await bySource(on, wanted, { campaign })) if (!others.has(other.at)) others.set(other.at, other);
  const shown = await placesOf(on, [...others.values()]);
  [...others].forEach(([at, other], index) => {
    const place = shown[index];
    if (place === undefined) return;
    const { campaign: name } = other;
    places[at] = { campaign: name, place: `campaign ${name}, ${placeText(place)}` };
  });
  return places;
}

/** Ids of the campaign's rows above `id`, ascending. */
export async function rowIdsAfter(on: Db, campaign: string, id: number, limit: number): Promise<number[]> {
  return (await idsAfter(on, { campaign, id, limit })).map((row) => row.id);
}

/** Rows by their ids, in the order of the ids. */
export async function rowsOfIds(on: Db, ids: readonly number[]): Promise<FoundRow[]> {
  const records = await byId(
    on,
    ids.map((id) => ({ id })),
    {},
  );
  return records.map((record) => toFound(record)).sort((a, b) => a.id - b.id);
}

interface Identity {
  account: string;
  profileId: string;
  platform: string;
  key: string;
}

export function identityOf(entry: Entry): Identity {
  return {
    account: entry.account,
    profileId: entry.values.profileId ?? '',
    platform: entry.values.platform,
    key: entry.key,
  };
}

/**
 * The same text means the same values: most rows of a manifest that is submitted again don't have to be parsed or
 * compared.
 */
function toFound(record: FoundRecord, wanted?: StoredEntry): FoundRow {
  return {
    id: record.id,
    snapshotId: record.snapshot_id,
    position: record.position,
    line: record.line,
    key: record.key,
    account: record.account,
    channel: record.text_id,
    label: record.label,
    state: record.state,
    code: record.code,
    message: record.message,
    column: record.column_name,
    sent: record.sent === 1,
    runId: record.run_id,
    readyAt: record.ready_at,
    cancelAsked: record.cancel_asked,
    replaced: record.replaced_values,
    run: record.number === null ? null : `${record.campaign}.${record.number}`,
    runOpen: record.open === 1,
    held: record.open === 1 && (record.state === 'planned' || record.state === 'waiting'),
    values: record.values === wanted?.text ? wanted.entry.values : (JSON.parse(record.values) as RowValues),
  };
}

/**
 * What a manifest means for a row: if it still has the values that a sheet has corrected since, the corrected values,
 * which the row has.
 */
export function meantEntry({ entry, text }: StoredEntry, found: FoundRow | null): Entry {
  return found !== null && found.replaced === text ? { ...entry, values: found.values } : entry;
}
