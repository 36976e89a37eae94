import { findGate, gateScope, toGate } from './gates';
import { type Db, iso, preparedFirst, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type CampaignSettings, type Counts, type RunInfo, type RunRef } from '../model/types';
import { countOpen } from './open-rows';
import { readRun, runByNumber, type RunRecord } from './read-run';

/**
 * Closes the run, and stores the states of its rows at that time, since a later run changes them. Returns false if
 * something is left to do or another run has taken its place.
 */
export async function finishRun(store: Store, ref: RunRef, countRows: () => Promise<Counts>): Promise<boolean> {
  const counts = await countRows();
  return store.write(async (tx) => {
    const run = await readRun(tx, ref);
    if (run.open === 0) return run.closed_as === 'ended';
    const pending = await tx
      .selectFrom('submissions')
      .select('id')
      .where('campaign', '=', ref.campaign)
      .where('imported_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (pending || run.takes_over !== null || (await countOpen(tx, run.id)) > 0) return false;
    // Rows left by a stop stay as they are until the manifest is submitted again.
    await tx
      .updateTable('rows')
      .set({ run_id: null })
      .where('run_id', '=', run.id)
      .where('state', 'in', ['planned', 'waiting'])
      .execute();
    await tx
      .updateTable('runs')
      .set({ open: 0, closed_as: 'ended', finished_at: store.now(), ended_counts: JSON.stringify(counts) })
      .where('id', '=', run.id)
      .execute();
    return true;
  });
}

export async function findRun(store: Store, run: RunRef): Promise<RunInfo | null> {
  const found = await runByNumber(store.db, run);
  return found ? toInfo(store.db, found) : null;
}

const newestOf = preparedFirst<{ campaign: string }, RunRecord>((db, p) =>
  db.selectFrom('runs').selectAll().where('campaign', '=', p.campaign).orderBy('id', 'desc').limit(1),
);

export async function newestRun(store: Store, campaign: string): Promise<RunInfo | null> {
  const found = await newestOf(store.db, { campaign });
  return found === undefined ? null : toInfo(store.db, found);
}

/** By a workflow's id, or the id of one of its executions. */
export async function runOfWorkflow(store: Store, id: string): Promise<RunInfo | null> {
  const runs = store.db.selectFrom('runs').selectAll().orderBy('id', 'desc').limit(1);
  const found =
    (await runs.where('workflow_id', '=', id).executeTakeFirst()) ??
    (await runs.where('workflow_run_id', '=', id).executeTakeFirst());
  return found ? toInfo(store.db, found) : null;
}

/** Newest first. `limit` is 50 by default; `newestOnly`: of each campaign its newest one. */
export async function listRuns(
  store: Store,
  query: { campaign?: string; limit?: number; newestOnly?: boolean } = {},
): Promise<RunInfo[]> {
  let runs = store.db
    .selectFrom('runs')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(query.limit ?? 50);
  if (query.campaign !== undefined) runs = runs.where('campaign', '=', query.campaign);
  if (query.newestOnly === true) {
    const newest = store.db
      .selectFrom('runs')
      .select((eb) => eb.fn.max('id').as('id'))
      .groupBy('campaign');
    runs = runs.where('id', 'in', newest);
  }
  const infos: RunInfo[] = [];
  for (const run of await runs.execute()) infos.push(await toInfo(store.db, run));
  return infos;
}

const comingSnapshot = preparedFirst<{ runId: number }, { snapshot_id: number }>((db, p) =>
  db.selectFrom('submissions').select('snapshot_id').where('run_id', '=', p.runId).orderBy('id', 'desc').limit(1),
);

/** The snapshot that a run shows: its newest imported one, or the one that it is about to import. */
export async function shownSnapshot(db: Db, run: RunRecord): Promise<number | null> {
  if (run.snapshot_id !== null) return run.snapshot_id;
  return (await comingSnapshot(db, { runId: run.id }))?.snapshot_id ?? null;
}

type ShownManifest = Pick<Tables['snapshots'], 'path' | 'hash' | 'settings'>;

const snapshotById = preparedFirst<{ id: number }, ShownManifest>((db, p) =>
  db.selectFrom('snapshots').select(['path', 'hash', 'settings']).where('id', '=', p.id),
);

async function toInfo(db: Db, run: RunRecord): Promise<RunInfo> {
  const snapshotId = await shownSnapshot(db, run);
  const snapshot = snapshotId === null ? undefined : await snapshotById(db, { id: snapshotId });
  const cancelled = await findGate(db, { scope: gateScope.run(run), kind: 'cancelled' });
  return {
    campaign: run.campaign,
    number: run.number,
    open: run.open === 1,
    closedAs: run.closed_as as RunInfo['closedAs'],
    imported: run.snapshot_id !== null,
    workflowId: run.workflow_id,
    workflowRunId: run.workflow_run_id,
    startedBy: run.started_by,
    startedAt: iso(run.started_at),
    finishedAt: iso(run.finished_at),
    manifestPath: snapshot?.path ?? null,
    manifestHash: snapshot?.hash ?? null,
    settings: snapshot ? (JSON.parse(snapshot.settings) as CampaignSettings) : null,
    cancelled: cancelled ? toGate(cancelled) : null,
    endedCounts: run.ended_counts === null ? null : (JSON.parse(run.ended_counts) as Counts),
  };
}
