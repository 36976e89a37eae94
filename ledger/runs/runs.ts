import { type Selectable, sql } from 'kysely';
import { LedgerStateError } from '../model/errors';
import { findGate, gateScope, toGate } from './gates';
import { rowsNotInManifest } from '../rows/not-in-manifest';
import { type RowState } from '../model/states';
import { raiseSequence } from '../engine/raise-sequence';
import { type Stopped, stoppedIn } from './stopped';
import { yieldToEventLoop, type Db, iso, PAGE_ROWS, preparedFirst, type Store, type Tx } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type CampaignSettings, type Counts, type RunInfo, type RunRef } from '../model/types';

/** States of rows that a run still has to end. */
export const OPEN_STATES: readonly RowState[] = ['planned', 'waiting', 'creating', 'processing'];

const UNDER_WAY: readonly RowState[] = ['creating', 'processing'];

export type RunRecord = Selectable<Tables['runs']>;

const runByNumber = preparedFirst<RunRef, RunRecord>((db, p) =>
  db.selectFrom('runs').selectAll().where('campaign', '=', p.campaign).where('number', '=', p.number),
);

const runIdByNumber = preparedFirst<RunRef, { id: number }>((db, p) =>
  db.selectFrom('runs').select('id').where('campaign', '=', p.campaign).where('number', '=', p.number),
);

export async function readRun(db: Db, run: RunRef): Promise<RunRecord> {
  return (await runByNumber(db, run)) ?? unknownRun(run);
}

export async function runIdOf(db: Db, run: RunRef): Promise<number> {
  return ((await runIdByNumber(db, run)) ?? unknownRun(run)).id;
}

function unknownRun(run: RunRef): never {
  throw new LedgerStateError(`the ledger has no run ${run.campaign}.${run.number}`);
}

/**
 * Finds the run that a workflow execution processes. The open run of the campaign is bound to the first execution that
 * asks; another execution (a reset, or a start after a terminate) supersedes it under the next number, and takes over
 * its rows. Null if the campaign has no open run.
 */
export async function beginRun(
  store: Store,
  input: { campaign: string; workflowId: string; workflowRunId: string },
): Promise<RunRef | null> {
  const run = await store.write((tx) => bindRun(tx, input, store.now()));
  if (!run) return null;
  if (run.takes_over !== null) await takeOver(store, run.id, run.takes_over);
  return { campaign: run.campaign, number: run.number };
}

async function bindRun(
  tx: Tx,
  input: { campaign: string; workflowId: string; workflowRunId: string },
  now: number,
): Promise<RunRecord | null> {
  const runs = tx.selectFrom('runs').selectAll().where('campaign', '=', input.campaign);
  const open = await runs.where(sql<boolean>`open = 1`).executeTakeFirst();
  if (!open || open.workflow_run_id === input.workflowRunId) return open ?? null;
  // A superseded execution stays superseded, even if it asks again: otherwise two executions would take turns.
  const before = await runs
    .where('workflow_run_id', '=', input.workflowRunId)
    .orderBy('number', 'desc')
    .executeTakeFirst();
  if (before?.closed_as === 'superseded') return { ...before, takes_over: null };
  if (open.workflow_run_id === null) {
    const bound = { workflow_id: input.workflowId, workflow_run_id: input.workflowRunId };
    await tx.updateTable('runs').set(bound).where('id', '=', open.id).execute();
    return { ...open, ...bound };
  }
  if (before) return { ...before, takes_over: null };
  return supersede(tx, open, input, now);
}

/** Numbers a new open run of a campaign; the caller has checked that none is open. */
export async function numberRun(
  tx: Tx,
  campaign: string,
  { by, now, workflowRunId = null }: { by: string; now: number; workflowRunId?: string | null },
): Promise<{ id: number; number: number; started_by: string }> {
  raiseSequence(tx);
  const { last_run: number } = await tx
    .updateTable('campaigns')
    .set((eb) => ({ last_run: eb('last_run', '+', 1) }))
    .where('name', '=', campaign)
    .returning('last_run')
    .executeTakeFirstOrThrow();
  const { id } = await tx
    .insertInto('runs')
    .values({
      campaign,
      number,
      workflow_id: `campaign/${campaign}`,
      workflow_run_id: workflowRunId,
      open: 1,
      closed_as: null,
      ended_counts: null,
      started_by: by,
      started_at: now,
      finished_at: null,
      snapshot_id: null,
      takes_over: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, number, started_by: by };
}

async function supersede(
  tx: Tx,
  open: RunRecord,
  input: { campaign: string; workflowId: string; workflowRunId: string },
  now: number,
): Promise<RunRecord> {
  await tx
    .updateTable('runs')
    .set({ open: 0, closed_as: 'superseded', finished_at: now })
    .where('id', '=', open.id)
    .execute();
  const { workflowRunId } = input;
  const made = await numberRun(tx, input.campaign, { by: open.started_by, now, workflowRunId });
  await tx
    .updateTable('runs')
    .set({
      workflow_id: input.workflowId,
      snapshot_id: open.snapshot_id,
      takes_over: open.id,
      set_live: open.set_live,
    })
    .where('id', '=', made.id)
    .execute();
  await tx
    .updateTable('submissions')
    .set({ run_id: made.id })
    .where('run_id', '=', open.id)
    .where('imported_at', 'is', null)
    .execute();
  await carryGates(tx, open, made.number);
  await tx.updateTable('run_settings').set({ run_id: made.id }).where('run_id', '=', open.id).execute();
  await tx.updateTable('changes').set({ run_id: made.id }).where('run_id', '=', open.id).execute();
  await tx.updateTable('canaries').set({ run_id: made.id }).where('run_id', '=', open.id).execute();
  return readRun(tx, { campaign: input.campaign, number: made.number });
}

/** A pause or a cancel of the run also applies to the run that replaces it. */
async function carryGates(tx: Tx, from: RunRecord, number: number): Promise<void> {
  const old = gateScope.run(from);
  const kept = await tx
    .selectFrom('gates')
    .selectAll()
    // Scopes within the run: `0` comes right after `/`, so this matches every scope that begins with `old/`.
    .where((eb) => eb.or([eb('scope', '=', old), eb.and([eb('scope', '>=', `${old}/`), eb('scope', '<', `${old}0`)])]))
    .execute();
  for (const gate of kept) {
    const scope = gateScope.run({ campaign: from.campaign, number }) + gate.scope.slice(old.length);
    await tx
      .insertInto('gates')
      .values({ ...gate, scope })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/**
 * Gives the superseded run's open rows to the new one, as well as those that its manifest doesn't have, because nothing
 * else would show that they belong to the new run. If it is repeated after a crash, it continues where it stopped.
 */
async function takeOver(store: Store, runId: number, oldId: number): Promise<void> {
  const { snapshot_id: shown } = await store.db
    .selectFrom('runs')
    .select('snapshot_id')
    .where('id', '=', oldId)
    .executeTakeFirstOrThrow();
  for (let left = true; left;) {
    left = await store.write(async (tx) => {
      const open = tx.selectFrom('rows').where('rows.run_id', '=', oldId).where('rows.state', 'in', OPEN_STATES);
      const rows: { id: number }[] = [];
      for (const some of [open, ...(shown === null ? [] : rowsNotInManifest(tx, { id: oldId }, shown))]) {
        if (rows.length === 0) rows.push(...(await some.select('rows.id').limit(PAGE_ROWS).execute()));
      }
      if (rows.length === 0) {
        await tx.updateTable('runs').set({ takes_over: null }).where('id', '=', runId).execute();
        return false;
      }
      const ids = rows.map((row) => row.id);
      await tx.updateTable('rows').set({ run_id: runId }).where('id', 'in', ids).execute();
      return true;
    });
    await yieldToEventLoop();
  }
}

/** Whether the run still holds its campaign: open, and not superseded. */
export async function holds(store: Store, run: RunRef): Promise<boolean> {
  return isOpen(store.db, run);
}

export async function isOpen(db: Db, run: RunRef): Promise<boolean> {
  return (await readRun(db, run)).open === 1;
}

/** Rows this run still has to end: planned or waiting and selected, creating, processing. */
export async function openRows(store: Store, run: RunRef): Promise<number> {
  return countOpen(store.db, await runIdOf(store.db, run));
}

async function countOpen(db: Db, runId: number): Promise<number> {
  const stopped = await stoppedIn(db, runId);
  if (isNone(stopped)) return Number((await openCount(db, { runId }))?.rows ?? 0);
  const { rows } = await rowsLeft(db, runId, stopped)
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
}

const openCount = preparedFirst<{ runId: number }, { rows: number | string }>((db, p) =>
  db
    .selectFrom('rows')
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .where('run_id', '=', p.runId)
    .where('state', 'in', OPEN_STATES),
);

const anyOpen = preparedFirst<{ runId: number }, { id: number }>((db, p) =>
  db.selectFrom('rows').select('rows.id').where('run_id', '=', p.runId).where('state', 'in', OPEN_STATES).limit(1),
);

/** Whether it has any; the cost doesn't depend on how many it has. */
export async function hasOpenRows({ db }: Store, run: RunRef): Promise<boolean> {
  const runId = await runIdOf(db, run);
  const stopped = await stoppedIn(db, runId);
  const found = isNone(stopped)
    ? await anyOpen(db, { runId })
    : await rowsLeft(db, runId, stopped).select('rows.id').limit(1).executeTakeFirst();
  return found !== undefined;
}

function isNone({ all, channelIds }: Stopped): boolean {
  return !all && channelIds.length === 0;
}

/**
 * Rows that a run still has to end. Rows that tolerance has stopped are not among them: only what is under way is
 * followed to its end.
 */
function rowsLeft(db: Db, runId: number, stopped: Stopped) {
  const open = db
    .selectFrom('rows')
    .where('run_id', '=', runId)
    .where('state', 'in', stopped.all ? UNDER_WAY : OPEN_STATES);
  if (stopped.channelIds.length === 0) return open;
  return open.where((eb) => eb.or([eb('channel_id', 'not in', stopped.channelIds), eb('state', 'in', UNDER_WAY)]));
}

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
