import { sql } from 'kysely';
import { differences } from '../model/converge';
import { channelLabel } from '../model/labels';
import { createWaitingReasons } from '../channels/waiting-reasons';
import { NOT_IN_MANIFEST, vanishedRows } from '../rows/not-in-manifest';
import { readChannelNames } from '../rows/channel-names';
import { maskUrl } from '../model/source';
import { otherRows, type View, viewOf } from '../runs/view';
import { type RowState } from '../model/states';
import { unknownStatusOf } from './unknown-status';
import { yieldToEventLoop, type Db, iso, PAGE_ROWS, prepared, type Store } from '../engine/store';
import { type RowRecord, type Tables } from '../engine/tables';
import { type ResultRecord, type RowValues, type ViewRef } from '../model/types';

type RowPart = Pick<
  RowRecord,
  | 'publication_id'
  | 'publish_id'
  | 'video_id'
  | 'video_url'
  | 'privacy'
  | 'published_at'
  | 'created_at'
  | 'ended_at'
  | 'code'
  | 'column_name'
  | 'message'
  | 'candidates'
>;

type Joined = Pick<Tables['entries'], 'position' | 'line' | 'key' | 'account' | 'values' | 'cells'> & {
  [column in keyof RowPart]: RowPart[column] | null;
} & {
  sent_values: string | null;
  replaced_values: string | null;
  corrected_cells: string | null;
  state: RowState | null;
  status: string | null;
  attempts: number | null;
  run_campaign: string | null;
  run_number: number | null;
};

export interface ResultFilter {
  states?: readonly RowState[];
  /** A profile's id or name. */
  profile?: string;
  /** Every row that the campaign ever had, not only those of the run. */
  everything?: boolean;
}

const COLUMNS = [
  'entries.position',
  'entries.line',
  'entries.key',
  'entries.account',
  'entries.values',
  'sent.values as sent_values',
  'entries.cells',
  'rows.replaced_values',
  'corrected.cells as corrected_cells',
  'rows.state',
  'rows.status',
  'rows.attempts',
  'rows.publication_id',
  'rows.publish_id',
  'rows.video_id',
  'rows.video_url',
  'rows.privacy',
  'rows.published_at',
  'rows.created_at',
  'rows.ended_at',
  'rows.code',
  'rows.column_name',
  'rows.message',
  'rows.candidates',
  'runs.campaign as run_campaign',
  'runs.number as run_number',
] as const;

/**
 * One record per row of the run's manifest, in its order, then those that the run has besides (`not-in-manifest`, if
 * they have no code of their own). Paged internally, so that memory use stays constant.
 */
export function createResults(store: Store) {
  const page = prepared<{ snapshotId: number; campaign: string; from: number; limit: number }, Joined>((db, p) =>
    db
      .selectFrom('entries')
      .leftJoin('rows', (join) =>
        join
          .on('rows.campaign', '=', p.campaign)
          .onRef('rows.account', '=', 'entries.account')
          .onRef('rows.profile_id', '=', 'entries.profile_id')
          .onRef('rows.platform', '=', 'entries.platform')
          .onRef('rows.key', '=', 'entries.key'),
      )
      .leftJoin('entries as sent', (join) =>
        join.onRef('sent.snapshot_id', '=', 'rows.entry_snapshot').onRef('sent.position', '=', 'rows.entry_position'),
      )
      .leftJoin('entries as corrected', (join) =>
        join
          .on('rows.replaced_values', 'is not', null)
          .onRef('corrected.snapshot_id', '=', 'rows.snapshot_id')
          .onRef('corrected.position', '=', 'rows.position'),
      )
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select(COLUMNS)
      .where('entries.snapshot_id', '=', p.snapshotId)
      .where('entries.position', '>=', p.from)
      .orderBy('entries.position')
      .limit(p.limit),
  );

  /** The same for rows that the manifest doesn't have, with the values of the last manifest that had them. */
  const others = async (ids: readonly number[]): Promise<Other[]> =>
    store.db
      .selectFrom('rows')
      .innerJoin('entries', (join) =>
        join.onRef('entries.snapshot_id', '=', 'rows.snapshot_id').onRef('entries.position', '=', 'rows.position'),
      )
      .leftJoin('entries as sent', (join) =>
        join.onRef('sent.snapshot_id', '=', 'rows.entry_snapshot').onRef('sent.position', '=', 'rows.entry_position'),
      )
      .leftJoin('entries as corrected', (join) =>
        join
          .on('rows.replaced_values', 'is not', null)
          .onRef('corrected.snapshot_id', '=', 'rows.snapshot_id')
          .onRef('corrected.position', '=', 'rows.position'),
      )
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select([...COLUMNS, 'rows.snapshot_id'])
      .where('rows.id', 'in', ids)
      .orderBy('rows.snapshot_id')
      .orderBy('rows.position')
      .orderBy('rows.id')
      .execute();

  /**
   * One record per row of the view's manifest, in its order, then those of the view that it doesn't have. Rows that
   * aren't imported yet are shown as planned.
   */
  return async function* results(ref: ViewRef, filter: ResultFilter = {}): AsyncGenerator<ResultRecord> {
    const view = await viewOf(store.db, ref);
    const { snapshotId, run } = view;
    const nameOf = await readChannelNames(store.db);
    const waitingFor = run === null ? null : createWaitingReasons(store, run);
    if (snapshotId !== null) {
      for (let from = 0; ;) {
        const rows = await page(store.db, { snapshotId, campaign: ref.campaign, from, limit: PAGE_ROWS });
        for (const row of rows) {
          from = row.position + 1;
          const record = await recordOf(row);
          if (record !== null) yield record;
        }
        if (rows.length < PAGE_ROWS) break;
        await yieldToEventLoop();
      }
    }
    const ids = await otherIds(store.db, view, filter.everything === true);
    if (ids.length === 0) return;
    const coming = await comingSnapshots(store.db, ref.campaign);
    for (let at = 0; at < ids.length; at += PAGE_ROWS) {
      for (const row of await others(ids.slice(at, at + PAGE_ROWS))) {
        const record = await recordOf(row);
        if (record === null) continue;
        if (record.code === null && !coming.has(row.snapshot_id)) Object.assign(record, NOT_IN_MANIFEST_ROWS);
        yield record;
      }
      await yieldToEventLoop();
    }

    async function recordOf(row: Joined): Promise<ResultRecord | null> {
      const record = toRecord(row, ref.campaign);
      record.channel = nameOf({ ...record, profileId: record.profile_id, label: record.channel });
      if (filter.states && !filter.states.includes(record.state)) return null;
      if (filter.profile !== undefined && filter.profile !== record.profile_id && filter.profile !== record.profile)
        return null;
      const unsent = row.run_number === null || row.run_number === run?.number;
      if (waitingFor !== null && UNSENT.includes(record.state) && record.code === null && unsent) {
        const { account, platform, profile_id: profileId, publish_at: publishAt } = record;
        const selected = row.run_number !== null;
        Object.assign(record, await waitingFor({ account, platform, profileId, publishAt, selected }));
      }
      return record;
    }
  };
}

type Other = Joined & { snapshot_id: number };

const NOT_IN_MANIFEST_ROWS = {
  code: NOT_IN_MANIFEST,
  message: 'the newest manifest doesn’t have it; it stays as it was accepted',
};

function furtherRows(db: Db, view: View, everything: boolean) {
  return everything ? [vanishedRows(db, view.campaign, view.snapshotId)] : otherRows(db, view);
}

/** Ids of the rows beside the manifest's, in the order of their own manifests. */
async function otherIds(db: Db, view: View, everything: boolean): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const rows of furtherRows(db, view, everything)) {
    const found = await rows
      .select('rows.id')
      .orderBy('rows.snapshot_id')
      .orderBy('rows.position')
      .orderBy('rows.id')
      .execute();
    for (const { id } of found) ids.push(id);
  }
  return ids;
}

/** Manifests whose import isn't finished: their new rows will be the run's own. */
async function comingSnapshots(db: Db, campaign: string): Promise<ReadonlySet<number>> {
  const found = await db
    .selectFrom('submissions')
    .select('snapshot_id')
    .where('campaign', '=', campaign)
    .where('imported_at', 'is', null)
    .execute();
  return new Set(found.map(({ snapshot_id }) => snapshot_id));
}

const UNSENT: readonly RowState[] = ['planned', 'waiting'];

function toRecord(row: Joined, campaign: string): ResultRecord {
  // The values that were accepted for the row: a later manifest doesn't change what is already live.
  const values = JSON.parse(row.sent_values ?? row.values) as RowValues;
  // The manifest still has the values that a sheet has corrected since: the correction counts.
  const corrected = row.replaced_values !== null && row.replaced_values === row.values;
  const difference =
    row.code !== null
      ? null
      : (unknownStatusOf(row.state, row.status) ??
        (row.sent_values !== row.values && !corrected ? sinceSent(row, values) : null));
  return {
    line: row.line,
    key: row.key,
    campaign,
    state: row.state ?? 'planned',
    run: row.run_campaign === null || row.run_number === null ? null : `${row.run_campaign}.${row.run_number}`,
    account: row.account,
    platform: values.platform,
    channel: channelLabel(values),
    profile: values.profileName,
    profile_id: values.profileId,
    title: values.title,
    source: values.source === null ? null : maskUrl(values.source),
    publish_at: values.publishAt,
    publication_id: row.publication_id,
    publish_id: row.publish_id,
    video_id: row.video_id,
    video_url: row.video_url,
    privacy: row.privacy ?? values.privacy,
    published_at: row.published_at,
    created_at: iso(row.created_at),
    ended_at: iso(row.ended_at),
    code: difference?.code ?? row.code,
    column: difference?.column ?? row.column_name,
    message: difference?.message ?? row.message,
    attempts: row.attempts ?? 0,
    candidates: row.candidates === null ? [] : (JSON.parse(row.candidates) as string[]),
    cells: JSON.parse((corrected ? row.corrected_cells : null) ?? row.cells) as Record<string, string>,
  };
}

const OUT: readonly RowState[] = ['processing', 'published', 'submitted', 'drafted', 'overdue'];

/** The manifest now says something else than what was sent. */
function sinceSent(row: Joined, sent: RowValues) {
  if (row.state === null || !OUT.includes(row.state)) return null;
  if (sent.adopted === true && row.state !== 'drafted') return null;
  const { names } = differences(sent, JSON.parse(row.values) as RowValues);
  const [column] = names;
  if (column === undefined) return null;
  return { code: 'differs', column, message: `${names.join(', ')} changed after it was sent; it stays as it was sent` };
}

/** The manifest's own headers, in order, then those that only other manifests have whose rows the run also has. */
export async function columns(
  store: Store,
  ref: ViewRef,
  { everything = false }: Pick<ResultFilter, 'everything'> = {},
): Promise<readonly string[]> {
  const view = await viewOf(store.db, ref);
  const { snapshotId } = view;
  const snapshots = new Set(snapshotId === null ? [] : [snapshotId]);
  for (const rows of furtherRows(store.db, view, everything)) {
    const found = await rows.select('rows.snapshot_id').distinct().execute();
    for (const { snapshot_id } of found.sort((a, b) => a.snapshot_id - b.snapshot_id)) snapshots.add(snapshot_id);
  }
  const names = new Set<string>();
  for (const id of snapshots) {
    const { columns: own } = await store.db
      .selectFrom('snapshots')
      .select('columns')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    for (const name of JSON.parse(own) as string[]) names.add(name);
  }
  return [...names];
}

/** Enough of a manifest to detect its format. */
const START = 100_000;

/** How the campaign’s main manifest begins: at most 100,000 characters; null: it has none. */
export async function manifestStart(store: Store, campaign: string): Promise<{ format: string; text: string } | null> {
  const found = await store.db
    .selectFrom('campaigns')
    .innerJoin('snapshots', 'snapshots.id', 'campaigns.snapshot_id')
    .select(['snapshots.format', sql<string>`substr(snapshots.text, 1, ${sql.lit(START)})`.as('start')])
    .where('campaigns.name', '=', campaign)
    .executeTakeFirst();
  return found === undefined ? null : { format: found.format, text: found.start };
}
