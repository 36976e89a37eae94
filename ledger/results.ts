import { differences } from './converge';
import { channelLabel } from './labels';
import { createWaitingReasons } from './waiting-reasons';
import { maskUrl } from './source';
import { readRun, shownSnapshot } from './runs';
import { GIVEN_UP, type RowState } from './states';
import { breathe, iso, PAGE_ROWS, prepared, type Store } from './store';
import { type RowRecord, type Tables } from './tables';
import { type Counts, type ResultRecord, type RowValues, type RunRef } from './types';

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
  state: RowState | null;
  attempts: number | null;
  run_campaign: string | null;
  run_number: number | null;
};

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
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select([
        'entries.position',
        'entries.line',
        'entries.key',
        'entries.account',
        'entries.values',
        'sent.values as sent_values',
        'entries.cells',
        'rows.state',
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
      ])
      .where('entries.snapshot_id', '=', p.snapshotId)
      .where('entries.position', '>=', p.from)
      .orderBy('entries.position')
      .limit(p.limit),
  );

  /** One record per row of the run's manifest, in its order. Rows that aren't imported yet show as planned. */
  return async function* results(
    ref: RunRef,
    filter: { states?: readonly RowState[]; profile?: string } = {},
  ): AsyncGenerator<ResultRecord> {
    const snapshotId = await shownSnapshot(store.db, await readRun(store.db, ref));
    if (snapshotId === null) return;
    const waitingFor = createWaitingReasons(store, ref);
    for (let from = 0; ;) {
      const rows = await page(store.db, { snapshotId, campaign: ref.campaign, from, limit: PAGE_ROWS });
      for (const row of rows) {
        from = row.position + 1;
        const record = toRecord(row, ref.campaign);
        if (filter.states && !filter.states.includes(record.state)) continue;
        if (filter.profile !== undefined && filter.profile !== record.profile_id && filter.profile !== record.profile)
          continue;
        const unsent = row.run_number === null || row.run_number === ref.number;
        if (UNSENT.includes(record.state) && record.code === null && unsent) {
          const { account, platform, profile_id: profileId, publish_at: publishAt } = record;
          const selected = row.run_number !== null;
          Object.assign(record, await waitingFor({ account, platform, profileId, publishAt, selected }));
        }
        yield record;
      }
      if (rows.length < PAGE_ROWS) return;
      await breathe();
    }
  };
}

const UNSENT: readonly RowState[] = ['planned', 'waiting'];

function toRecord(row: Joined, campaign: string): ResultRecord {
  // What was accepted for the row: a later manifest doesn't change what is out already.
  const values = JSON.parse(row.sent_values ?? row.values) as RowValues;
  const told = row.code === null && row.sent_values !== row.values ? sinceSent(row, values) : null;
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
    code: told?.code ?? row.code,
    column: told?.column ?? row.column_name,
    message: told?.message ?? row.message,
    attempts: row.attempts ?? 0,
    candidates: row.candidates === null ? [] : (JSON.parse(row.candidates) as string[]),
    cells: JSON.parse(row.cells) as Record<string, string>,
  };
}

const OUT: readonly RowState[] = ['processing', 'published', 'submitted', 'drafted', 'overdue'];

/** Where the manifest says something else by now than what was sent. */
function sinceSent(row: Joined, sent: RowValues) {
  if (row.state === null || !OUT.includes(row.state)) return null;
  if (sent.adopted === true && row.state !== 'drafted') return null;
  const { names } = differences(sent, JSON.parse(row.values) as RowValues);
  const [column] = names;
  if (column === undefined) return null;
  return { code: 'differs', column, message: `${names.join(', ')} changed after it was sent; it stays as it was sent` };
}

/** Rows by state over the manifest that the run shows. */
export async function counts(store: Store, ref: RunRef): Promise<Counts> {
  const snapshotId = await shownSnapshot(store.db, await readRun(store.db, ref));
  if (snapshotId === null) return {};
  const { entries } = await store.db
    .selectFrom('snapshots')
    .select('entries')
    .where('id', '=', snapshotId)
    .executeTakeFirstOrThrow();
  const groups = await store.db
    .selectFrom('rows')
    .select((eb) => ['state', eb.fn.countAll<number | string>().as('rows')])
    .where('snapshot_id', '=', snapshotId)
    .groupBy('state')
    .execute();
  const total = groups.reduce((sum, group) => sum + Number(group.rows), 0);
  // All rows still say that this is their manifest, or another has taken some of them, or not all are imported.
  const exact = total === entries ? groups : await countByIdentity(store, snapshotId, ref.campaign);
  return Object.fromEntries(exact.map((group) => [group.state, Number(group.rows)]));
}

async function countByIdentity(store: Store, snapshotId: number, campaign: string) {
  const groups = await store.db
    .selectFrom('entries')
    .leftJoin('rows', (join) =>
      join
        .on('rows.campaign', '=', campaign)
        .onRef('rows.account', '=', 'entries.account')
        .onRef('rows.profile_id', '=', 'entries.profile_id')
        .onRef('rows.platform', '=', 'entries.platform')
        .onRef('rows.key', '=', 'entries.key'),
    )
    .select((eb) => [
      eb.fn.coalesce('rows.state', eb.val<RowState>('planned')).as('state'),
      eb.fn.countAll<number | string>().as('rows'),
    ])
    .where('entries.snapshot_id', '=', snapshotId)
    .groupBy('rows.state')
    .execute();
  const byState = new Map<RowState, number>();
  for (const group of groups) byState.set(group.state, (byState.get(group.state) ?? 0) + Number(group.rows));
  return [...byState].map(([state, rows]) => ({ state, rows }));
}

/** Rows of the manifest that the run shows which a person gave up: cancelled, and perhaps out all the same. */
export async function givenUp(store: Store, ref: RunRef): Promise<number> {
  const snapshotId = await shownSnapshot(store.db, await readRun(store.db, ref));
  if (snapshotId === null) return 0;
  const given = store.db
    .selectFrom('rows')
    .where('rows.campaign', '=', ref.campaign)
    .where('rows.state', '=', 'cancelled')
    .where('rows.code', '=', GIVEN_UP);
  const found = await given
    .select(['rows.account', 'rows.profile_id', 'rows.platform', 'rows.key', 'rows.snapshot_id'])
    .execute();
  // Of another manifest's rows it has to be looked up whether this one has them too.
  const others = found.filter((row) => row.snapshot_id !== snapshotId);
  if (others.length === 0) return found.length;
  const keys = new Set<string>();
  for (let at = 0; at < others.length; at += PAGE_ROWS) {
    const entries = await store.db
      .selectFrom('entries')
      .select(['account', 'profile_id', 'platform', 'key'])
      .where('snapshot_id', '=', snapshotId)
      .where(
        'key',
        'in',
        others.slice(at, at + PAGE_ROWS).map(({ key }) => key),
      )
      .execute();
    for (const entry of entries) keys.add(identityText(entry));
  }
  return found.length - others.filter((row) => !keys.has(identityText(row))).length;
}

function identityText(row: { account: string; profile_id: string; platform: string; key: string }): string {
  return JSON.stringify([row.account, row.profile_id, row.platform, row.key]);
}

/** The manifest's own headers, in order. */
export async function columns(store: Store, ref: RunRef): Promise<readonly string[]> {
  const snapshotId = await shownSnapshot(store.db, await readRun(store.db, ref));
  if (snapshotId === null) return [];
  const found = await store.db
    .selectFrom('snapshots')
    .select('columns')
    .where('id', '=', snapshotId)
    .executeTakeFirstOrThrow();
  return JSON.parse(found.columns) as string[];
}
