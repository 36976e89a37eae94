import { noteDecision } from '../rows/decisions';
import { correctingSheets } from '../runs/corrections';
import { adoptUnfollowed, unfollowed } from '../runs/unfollowed-rows';
import { moveRow, RESET_FOR_RETRY } from '../rows/rows';
import { readRun, type RunRecord } from '../runs/read-run';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
import { type Db, PAGE_ROWS, type Store, type Tx, yieldToEventLoop } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type RunRef } from '../model/types';
import { openRun } from './open-run';

export interface RetryInput {
  /**
   * Any run of the campaign: the retry covers the newest manifest's rows, and those of the run that the manifest no
   * longer has.
   */
  run: RunRef;
  /** Default: failed, rejected and overdue. */
  states?: readonly ('failed' | 'rejected' | 'overdue')[];
  keys?: readonly string[];
  channelId?: string;
  by: string;
}

export interface RetryResult {
  /** The run that processes them; null if there was nothing to retry. */
  run: RunRef | null;
  /** Failed and rejected rows that are planned again. */
  planned: number;
  /** Overdue rows that are only read again. */
  reread: number;
  /** Rows whose late answer arrived after their run had ended: they are followed again. */
  followed: number;
}

/** How many rows a retry would take, by state. */
export type RetryCounts = Readonly<Partial<Record<'failed' | 'rejected' | 'overdue', number>>>;

/**
 * Retries rows: failed and rejected ones are planned again, overdue ones are followed again. Unconfirmed rows are never
 * included.
 */
export async function retry(store: Store, input: RetryInput): Promise<RetryResult> {
  const result: RetryResult = { run: null, planned: 0, reread: 0, followed: 0 };
  await followUnfollowed(store, input, result);
  // Rows are taken in the order of their ids, each once: a row that is rejected again meanwhile is not retried twice.
  const passed: RetryCursor = { query: 0, rowId: 0 };
  for (;;) {
    const page = await store.write(async (tx) => {
      const rows = await rowsToRetry(tx, await readRun(tx, input.run), input, passed);
      if (rows.length === 0) return 0;
      const run = await openRun(tx, input.run.campaign, input.by, store.now());
      result.run = { campaign: run.campaign, number: run.number };
      for (const row of rows) {
        result[await retryRow(store, tx, row, run.id)]++;
        await noteDecision(tx, { rowId: row.id, kind: 'retry', by: input.by, at: store.now() });
      }
      return rows.length;
    });
    if (page === 0) return result;
    await yieldToEventLoop();
  }
}

/** A retry also resumes following rows that no run follows any more. */
async function followUnfollowed(store: Store, input: RetryInput, result: RetryResult): Promise<void> {
  const left = await unfollowed(store, input.run.campaign);
  if (left === 0) return;
  result.followed = left;
  await store.write(async (tx) => {
    const run = await openRun(tx, input.run.campaign, input.by, store.now());
    result.run = { campaign: run.campaign, number: run.number };
    await adoptUnfollowed(tx, run);
  });
}

/**
 * The newest manifest's rows, those of the run that it no longer has, and those of sheets that correct it, whether they
 * were changed there or not: they are retried with the values they were accepted with. Three queries, each answered from
 * an index.
 */
async function retryable(db: Db, run: RunRecord, input: Omit<RetryInput, 'by'>) {
  const { snapshot_id: newest } = await db
    .selectFrom('campaigns')
    .select('snapshot_id')
    .where('name', '=', run.campaign)
    .executeTakeFirstOrThrow();
  let asked = db
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .where('rows.state', 'in', input.states ?? ['failed', 'rejected', 'overdue'])
    .where('rows.campaign', '=', run.campaign);
  if (input.keys) asked = asked.where('rows.key', 'in', input.keys);
  if (input.channelId !== undefined) asked = asked.where('channels.text_id', '=', input.channelId);
  const ofRun = asked.where('rows.run_id', '=', run.id);
  if (newest === null) return [ofRun];
  const sheets = await correctingSheets(db, run.campaign);
  const elsewhere = asked
    .where('rows.snapshot_id', '!=', newest)
    .where('rows.snapshot_id', 'in', sheets)
    .where((eb) => eb.or([eb('rows.run_id', 'is', null), eb('rows.run_id', '!=', run.id)]));
  return [asked.where('rows.snapshot_id', '=', newest), ofRun.where('rows.snapshot_id', '!=', newest), elsewhere];
}

/** How far a retry has progressed: which of its queries, and the last row that was taken. */
interface RetryCursor {
  query: number;
  rowId: number;
}

async function rowsToRetry(tx: Tx, run: RunRecord, input: RetryInput, passed: RetryCursor): Promise<RowRecord[]> {
  const queries = await retryable(tx, run, input);
  for (const [at, some] of queries.entries()) {
    if (at < passed.query) continue;
    const after = at === passed.query ? passed.rowId : 0;
    const next = some.where('rows.id', '>', after).orderBy('rows.id').limit(PAGE_ROWS);
    const rows = await next.selectAll('rows').execute();
    const last = rows.at(-1);
    if (last === undefined) continue;
    Object.assign(passed, { query: at, rowId: last.id });
    return rows;
  }
  return [];
}

/** What a retry would take; changes nothing. */
export async function countRetry(store: Store, input: Omit<RetryInput, 'by'>): Promise<RetryCounts> {
  const counts: Partial<Record<RowState, number>> = {};
  for (const some of await retryable(store.db, await readRun(store.db, input.run), input)) {
    const groups = await some
      .select((eb) => ['rows.state', eb.fn.countAll<number | string>().as('rows')])
      .groupBy('rows.state')
      .execute();
    for (const { state, rows } of groups) counts[state] = (counts[state] ?? 0) + Number(rows);
  }
  return counts;
}

async function retryRow(store: Store, tx: Tx, row: RowRecord, runId: number): Promise<'planned' | 'reread'> {
  const now = store.now();
  if (row.state === 'overdue') {
    const { giveUpAfterMs } = await settingsOf(store, tx, row.entry_snapshot);
    await moveRow(tx, row, 'processing', now, {
      run_id: runId,
      code: null,
      message: null,
      deadline: now + giveUpAfterMs,
    });
    return 'reread';
  }
  // A person requested this row now, so a time that has passed doesn't make it late.
  await moveRow(tx, row, 'planned', now, {
    ...RESET_FOR_RETRY,
    run_id: runId,
    accepted_at: now,
    ready_at: row.publish_at,
  });
  return 'planned';
}
