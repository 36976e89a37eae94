import { uncancel } from './cancel';
import { LedgerStateError } from './errors';
import { shortMessage } from './labels';
import { CLEAN, moveRow } from './rows';
import { numberRun, type RunRecord, readRun } from './runs';
import { followPublication, markSettled } from './settle';
import { settingsOf } from './snapshots';
import { type RowState } from './states';
import { breathe, PAGE_ROWS, type Store, type Tx } from './store';
import { type RowRecord } from './tables';
import { type RunRef } from './types';

export interface RetryInput {
  /** Any run of the campaign: its manifest's rows are meant. */
  run: RunRef;
  /** Default: failed, rejected and overdue. */
  states?: readonly ('failed' | 'rejected' | 'overdue')[];
  keys?: readonly string[];
  channelId?: string;
  by: string;
}

export interface RetryResult {
  /** The run that works them; null when there was nothing to try again. */
  run: RunRef | null;
  /** Failed and rejected rows that are planned again. */
  planned: number;
  /** Overdue rows that are only read again. */
  reread: number;
}

/**
 * Has rows tried again: failed and rejected ones are planned anew, overdue ones are followed again. Unconfirmed rows are
 * never among them.
 */
export async function retry(store: Store, input: RetryInput): Promise<RetryResult> {
  const result: RetryResult = { run: null, planned: 0, reread: 0 };
  for (;;) {
    const page = await store.write(async (tx) => {
      const rows = await rowsToRetry(tx, await readRun(tx, input.run), input);
      if (rows.length === 0) return 0;
      const run = await openRun(tx, input.run.campaign, input.by, store.now());
      result.run = { campaign: run.campaign, number: run.number };
      for (const row of rows) result[await retryRow(store, tx, row, run.id)]++;
      return rows.length;
    });
    if (page === 0) return result;
    await breathe();
  }
}

async function rowsToRetry(tx: Tx, run: RunRecord, input: RetryInput): Promise<RowRecord[]> {
  const campaign = await tx
    .selectFrom('campaigns')
    .select('snapshot_id')
    .where('name', '=', run.campaign)
    .executeTakeFirstOrThrow();
  let rows = tx
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .selectAll('rows')
    .where('rows.snapshot_id', '=', campaign.snapshot_id)
    .where('rows.state', 'in', input.states ?? ['failed', 'rejected', 'overdue'])
    .where('rows.campaign', '=', run.campaign)
    .limit(PAGE_ROWS);
  if (input.keys) rows = rows.where('rows.key', 'in', input.keys);
  if (input.channelId !== undefined) rows = rows.where('channels.text_id', '=', input.channelId);
  return rows.execute();
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
  // A person asked for it now, so a time that has passed isn't late.
  await moveRow(tx, row, 'planned', now, { ...CLEAN, run_id: runId, accepted_at: now, ready_at: row.publish_at });
  return 'planned';
}

/** The campaign's open run, or a new one with its newest manifest. */
async function openRun(tx: Tx, campaign: string, by: string, now: number): Promise<RunRecord> {
  const open = await tx
    .selectFrom('runs')
    .selectAll()
    .where('campaign', '=', campaign)
    .where('open', '=', 1)
    .executeTakeFirst();
  if (open) {
    await uncancel(tx, open);
    return open;
  }
  const { snapshot_id } = await tx
    .selectFrom('campaigns')
    .select('snapshot_id')
    .where('name', '=', campaign)
    .executeTakeFirstOrThrow();
  const made = await numberRun(tx, campaign, { by, now });
  await tx.updateTable('runs').set({ snapshot_id }).where('id', '=', made.id).execute();
  return readRun(tx, { campaign, number: made.number });
}

export interface ResolveInput {
  run: RunRef;
  key: string;
  /** Needed when the key has unconfirmed rows in several channels. */
  channelId?: string;
  decision:
    { kind: 'published'; publicationId: string; status?: string } | { kind: 'not-published' } | { kind: 'give-up' };
  by: string;
}

/**
 * Settles an unconfirmed row by a person's word: it is that publication, or it isn't there and is to be created, or it
 * is left as it is.
 * @throws LedgerStateError when the key has no unconfirmed row, or several
 */
export async function resolve(store: Store, input: ResolveInput): Promise<{ state: RowState; run: RunRef | null }> {
  return store.write(async (tx) => {
    const row = await unconfirmedRow(tx, input);
    const now = store.now();
    if (input.decision.kind === 'give-up') {
      await markSettled(tx, row, row.attempts, { as: 'given-up', now });
      const message = shortMessage(`given up by ${input.by}; it may have been published`);
      return { state: await moveRow(tx, row, 'cancelled', now, { code: 'given-up', message }), run: null };
    }
    const run = await openRun(tx, input.run.campaign, input.by, now);
    const ref = { campaign: run.campaign, number: run.number };
    await markSettled(tx, row, row.attempts, { as: input.decision.kind, now });
    await tx.updateTable('rows').set({ run_id: run.id }).where('id', '=', row.id).execute();
    if (input.decision.kind === 'not-published') {
      const message = shortMessage(`${input.by} says it wasn't published`);
      const patch = { ...CLEAN, message, accepted_at: now, ready_at: row.publish_at };
      return { state: await moveRow(tx, row, 'planned', now, patch), run: ref };
    }
    const { publicationId, status = 'processing' } = input.decision;
    return { state: await followPublication(store, tx, row, { publicationId, status, how: 'named', now }), run: ref };
  });
}

async function unconfirmedRow(tx: Tx, { run, key, channelId }: ResolveInput): Promise<RowRecord> {
  let rows = tx
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .selectAll('rows')
    .select('channels.text_id')
    .where('rows.campaign', '=', run.campaign)
    .where('rows.key', '=', key)
    .where('rows.state', '=', 'unconfirmed');
  if (channelId !== undefined) rows = rows.where('channels.text_id', '=', channelId);
  const found = await rows.execute();
  const [row] = found;
  if (!row) throw new LedgerStateError(`campaign ${run.campaign} has no unconfirmed row with the key ${key}`);
  if (found.length === 1) return row;
  const channels = found.map((other) => other.text_id).join(', ');
  throw new LedgerStateError(`key ${key} is unconfirmed in several channels; name one of them: ${channels}`);
}
