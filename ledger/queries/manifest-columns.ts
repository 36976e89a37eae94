import { sql } from 'kysely';
import { vanishedRows } from '../rows/not-in-manifest';
import { otherRows, type View, viewOf } from '../runs/view';
import { type Db, type Store } from '../engine/store';
import { type ViewRef } from '../model/types';
import { type ResultFilter } from './result-record';

export function furtherRows(db: Db, view: View, everything: boolean) {
  return everything ? [vanishedRows(db, view.campaign, view.snapshotId)] : otherRows(db, view);
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
