import { type Db, type Store } from '../engine/store';
import { type RunRef } from '../model/types';
import { readRun } from '../runs/read-run';

/**
 * The hosts that have the files of a campaign's snapshots: for each snapshot, the host of its newest submission that
 * named one. Empty for a ledger on one host.
 */
export async function filesHostsOf(
  db: Db,
  campaign: string,
  snapshots: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(snapshots)];
  if (ids.length === 0) return new Map();
  const newest = db
    .selectFrom('submissions')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('campaign', '=', campaign)
    .where('snapshot_id', 'in', ids)
    .groupBy('snapshot_id');
  const found = await db
    .selectFrom('submissions')
    .select(['snapshot_id', 'options'])
    .where('id', 'in', newest)
    .execute();
  return new Map(
    found.flatMap(({ snapshot_id: id, options }) => {
      const { filesHost } = JSON.parse(options) as { filesHost?: string };
      return filesHost === undefined ? [] : [[id, filesHost]];
    }),
  );
}

/** Hosts whose workers have the files of rows that the run still has to send, ordered by name. */
export async function filesHosts(store: Store, ref: RunRef): Promise<string[]> {
  const run = await readRun(store.db, ref);
  const snapshots = await store.db
    .selectFrom('rows')
    .select('entry_snapshot as id')
    .distinct()
    .where('run_id', '=', run.id)
    .where('state', 'in', ['planned', 'waiting'])
    .where('upload', '=', 1)
    .execute();
  const hosts = await filesHostsOf(
    store.db,
    ref.campaign,
    snapshots.map(({ id }) => id),
  );
  return [...new Set(hosts.values())].sort();
}
