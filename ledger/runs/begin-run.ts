import { sql } from 'kysely';
import { gateScope } from './gates';
import { rowsNotInManifest } from '../rows/not-in-manifest';
import { raiseSequence } from '../engine/raise-sequence';
import { PAGE_ROWS, type Store, type Tx, yieldToEventLoop } from '../engine/store';
import { type RunRef } from '../model/types';
import { OPEN_STATES } from './open-rows';
import { readRun, type RunRecord } from './read-run';

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
