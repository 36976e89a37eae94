import { type SelectQueryBuilder } from 'kysely';
import { outsideRows } from '../rows/not-in-manifest';
import { readRun, shownSnapshot } from '../runs/runs';
import { GIVEN_UP, type RowState } from '../model/states';
import { PAGE_ROWS, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type Counts, type RunRef } from '../model/types';

/** Rows by state over the manifest that the run shows, and those of the run that it doesn't have. */
export async function counts(store: Store, ref: RunRef): Promise<Counts> {
  const run = await readRun(store.db, ref);
  const snapshotId = await shownSnapshot(store.db, run);
  if (snapshotId === null) return {};
  const { entries } = await store.db
    .selectFrom('snapshots')
    .select('entries')
    .where('id', '=', snapshotId)
    .executeTakeFirstOrThrow();
  const own = await countStates(store.db.selectFrom('rows').where('rows.snapshot_id', '=', snapshotId));
  const total = own.reduce((sum, { rows }) => sum + rows, 0);
  // All rows still say that this is their manifest, or another has taken some of them, or not all are imported.
  const groups = [...(total === entries ? own : await countByIdentity(store, snapshotId, ref.campaign))];
  for (const outside of outsideRows(store.db, run, snapshotId)) groups.push(...(await countStates(outside)));
  const byState: Partial<Record<RowState, number>> = {};
  for (const { state, rows } of groups) byState[state] = (byState[state] ?? 0) + rows;
  return byState;
}

/** Some rows by their state. */
export async function countStates(some: SelectQueryBuilder<Tables, 'rows', object>): Promise<StateCount[]> {
  const groups = await some
    .select((eb) => ['rows.state', eb.fn.countAll<number | string>().as('rows')])
    .groupBy('rows.state')
    .execute();
  return groups.map(({ state, rows }) => ({ state, rows: Number(rows) }));
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
  return groups.map(({ state, rows }) => ({ state, rows: Number(rows) }));
}

/** Rows that `counts` has as cancelled and which a person gave up: perhaps they are out all the same. */
export async function givenUp(store: Store, ref: RunRef): Promise<number> {
  const run = await readRun(store.db, ref);
  const snapshotId = await shownSnapshot(store.db, run);
  if (snapshotId === null) return 0;
  const given = store.db
    .selectFrom('rows')
    .where('rows.campaign', '=', ref.campaign)
    .where('rows.state', '=', 'cancelled')
    .where('rows.code', '=', GIVEN_UP);
  const found = await given
    .select(['rows.account', 'rows.profile_id', 'rows.platform', 'rows.key', 'rows.snapshot_id', 'rows.run_id'])
    .execute();
  // Of other runs' rows with another manifest it has to be looked up whether this one has them too.
  const others = found.filter((row) => row.snapshot_id !== snapshotId && row.run_id !== run.id);
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
