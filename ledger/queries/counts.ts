import { type SelectQueryBuilder } from 'kysely';
import { rowsBeside, SIDES } from '../rows/not-in-manifest';
import { otherRows, rowsOf, viewOf } from '../runs/view';
import { AS_ASKED_CODES, DIFFERING_CODES, GIVEN_UP, UNCHANGED_CODES, type RowState } from '../model/states';
import { prepared, preparedFirst, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type Counts, type ViewRef } from '../model/types';

/**
 * Rows by state over the manifest that the view shows (including rows done in earlier runs), and over the rows besides:
 * those that the manifest no longer has, and that were kept, already sent or pruned. For a campaign: over its main
 * manifest and every further row.
 */
export async function counts(store: Store, ref: ViewRef): Promise<Counts> {
  const view = await viewOf(store.db, ref);
  const { snapshotId } = view;
  if (snapshotId === null) return {};
  const entries = (await entriesOf(store.db, { snapshotId }))?.entries;
  const own = await countsOf(store.db, { snapshotId });
  const total = own.reduce((sum, { rows }) => sum + rows, 0);
  // Whether all rows still belong to this manifest, another manifest has taken some of them, or not all are imported.
  const groups = [...(total === entries ? own : await countByIdentity(store, snapshotId, ref.campaign))];
  const { run, whole } = view;
  if (whole || run === null) for (const other of otherRows(store.db, view)) groups.push(...(await countStates(other)));
  else
    for (const side of notInManifest)
      groups.push(...(await side(store.db, { runId: run.id, snapshotId })).map(counted));
  const byState: Partial<Record<RowState, number>> = {};
  for (const { state, rows } of groups) byState[state] = (byState[state] ?? 0) + rows;
  return byState;
}

/** Drafts of the run's manifest that could not be changed, because of the service or of what they have become. */
export async function unchangedDrafts(store: Store, view: ViewRef): Promise<number> {
  return countCoded(store, view, { state: 'drafted', codes: UNCHANGED_CODES });
}

/** Published rows of the view that are not, or no longer, live as requested. */
export async function differing(store: Store, view: ViewRef): Promise<number> {
  return countCoded(store, view, { state: 'published', codes: DIFFERING_CODES });
}

/** Cancelled rows of the view that the manifest, or one of its flags, left out. */
export async function leftOutAsAsked(store: Store, view: ViewRef): Promise<number> {
  return countCoded(store, view, { state: 'cancelled', codes: AS_ASKED_CODES });
}

/** Rows of a view in one state with one of these codes. */
async function countCoded(
  store: Store,
  ref: ViewRef,
  { state, codes }: { state: RowState; codes: readonly string[] },
): Promise<number> {
  let total = 0;
  for (const some of await rowsOf(store.db, await viewOf(store.db, ref))) {
    const { rows } = await some
      .select((eb) => eb.fn.countAll<number | string>().as('rows'))
      .where('rows.state', '=', state)
      .where('rows.code', 'in', codes)
      .executeTakeFirstOrThrow();
    total += Number(rows);
  }
  return total;
}

const entriesOf = preparedFirst<{ snapshotId: number }, { entries: number }>((db, p) =>
  db.selectFrom('snapshots').select('entries').where('id', '=', p.snapshotId),
);

const countsOf = prepared<{ snapshotId: number }, StateCount>((db, p) =>
  db.selectFrom('row_counts').select(['state', 'rows']).where('snapshot_id', '=', p.snapshotId).where('rows', '>', 0),
);

/**
 * Rows of a run that its manifest doesn't have, by state: every view of a run asks for them, and almost always there
 * are none.
 */
const notInManifest = SIDES.map((side) =>
  prepared<{ runId: number; snapshotId: number }, { state: RowState; rows: number | string }>((db, p) =>
    byState(rowsBeside(db, { id: p.runId }, p.snapshotId, side)),
  ),
);

/** Some rows by their state. */
export async function countStates(some: SelectQueryBuilder<Tables, 'rows', object>): Promise<StateCount[]> {
  return (await byState(some).execute()).map(counted);
}

function byState(some: SelectQueryBuilder<Tables, 'rows', object>) {
  return some.select((eb) => ['rows.state', eb.fn.countAll<number | string>().as('rows')]).groupBy('rows.state');
}

function counted({ state, rows }: { state: RowState; rows: number | string }): StateCount {
  return { state, rows: Number(rows) };
}

interface StateCount {
  state: RowState;
  rows: number;
}

async function countByIdentity(store: Store, snapshotId: number, campaign: string): Promise<StateCount[]> {
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
  return groups.map(counted);
}

/** Rows that `counts` has as cancelled and that a person gave up: they may still be published. */
export async function givenUp(store: Store, ref: ViewRef): Promise<number> {
  let given = 0;
  for (const rows of await rowsOf(store.db, await viewOf(store.db, ref))) {
    const { n } = await rows
      .select((eb) => eb.fn.countAll<number | string>().as('n'))
      .where('rows.state', '=', 'cancelled')
      .where('rows.code', '=', GIVEN_UP)
      .executeTakeFirstOrThrow();
    given += Number(n);
  }
  return given;
}
