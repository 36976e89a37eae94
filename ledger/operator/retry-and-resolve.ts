import { lostAttempt } from '../attempts/lost-attempts';
import { valuesAt } from '../rows/accepted';
import { uncancel } from './cancel';
import { noteDecision } from '../rows/decisions';
import { LedgerStateError } from '../model/errors';
import { shortMessage } from '../model/labels';
import { adoptUnfollowed, unfollowed } from '../runs/unfollowed-rows';
import { ownerRow } from '../publications/publications';
import { RESET_FOR_RETRY, moveRow } from '../rows/rows';
import { numberRun, type RunRecord, readRun } from '../runs/runs';
import { followPublication, markSettled } from '../attempts/settle';
import { settingsOf } from '../rows/snapshots';
import { GIVEN_UP, type RowState } from '../model/states';
import { yieldToEventLoop, type Db, PAGE_ROWS, type Store, type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type PublicationEnd, type RunRef } from '../model/types';
import { recordEnd } from '../attempts/watch';

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

/** The code of a direct publish that is live according to a person. */
const SAID_PUBLISHED = 'said-published';

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
 * The newest manifest's rows, those of the run that it no longer has, and those that a sheet has corrected: they are
 * retried with the values they were accepted with. Three queries, each answered from an index.
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
  const elsewhere = asked
    .where('rows.snapshot_id', '!=', newest)
    .where('rows.replaced_values', 'is not', null)
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

/** The campaign's open run, or a new one with its newest manifest. */
export async function openRun(tx: Tx, campaign: string, by: string, now: number): Promise<RunRecord> {
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
  await adoptUnfollowed(tx, { id: made.id, campaign });
  return readRun(tx, { campaign, number: made.number });
}

export interface ResolveInput {
  run: RunRef;
  key: string;
  /** Needed when the key has unconfirmed rows in several channels. */
  channelId?: string;
  decision:
    | {
        kind: 'published';
        publicationId: string;
        status?: string;
        /** The publication's end, if a read showed that it has ended: then nothing is left to follow. */
        end?: Omit<PublicationEnd, 'rowId' | 'publicationId' | 'state'> & { state: 'published' | 'failed' };
      }
    /** A direct publish (interface, section 4.3): it is live, and its outcome can't be read. */
    | { kind: 'submitted'; publishId: string | null }
    | { kind: 'not-published' }
    | { kind: 'give-up' };
  by: string;
}

/**
 * Settles an unconfirmed row, or one whose lost answer is still being looked for, by a person's decision: it is that
 * publication, it is a direct publish that is live, it doesn't exist and is to be created, or it is given up.
 * @throws LedgerStateError if the key has no such row, or several, or it isn't a direct publish
 */
export async function resolve(store: Store, input: ResolveInput): Promise<{ state: RowState; run: RunRef | null }> {
  return store.write(async (tx) => {
    const now = store.now();
    const row = await unconfirmedRow(tx, input, now);
    const { decision, by } = input;
    const named = decision.kind === 'published' ? { publicationId: decision.publicationId } : {};
    await noteDecision(tx, { rowId: row.id, kind: decision.kind, ...named, by, at: now });
    await markSettled(tx, row, row.attempts, { as: decision.kind, now });
    if (decision.kind === 'give-up') {
      const message = shortMessage(`given up by ${by}; it may have been published`);
      return { state: await moveRow(tx, row, 'cancelled', now, { code: GIVEN_UP, message }), run: null };
    }
    if (decision.kind === 'submitted') return { state: await saidSubmitted(tx, row, decision, { by, now }), run: null };
    if (decision.kind === 'published' && decision.end !== undefined) {
      const { publicationId, end } = decision;
      await followPublication(store, tx, row, { publicationId, status: end.status, how: 'named', now });
      await recordEnd(tx, { message: `named by ${by}`, ...end, rowId: row.id, publicationId }, now);
      return { state: end.state, run: null };
    }
    const run = await openRun(tx, input.run.campaign, by, now);
    const ref = { campaign: run.campaign, number: run.number };
    await tx.updateTable('rows').set({ run_id: run.id }).where('id', '=', row.id).execute();
    if (decision.kind === 'not-published') {
      const message = shortMessage(`${by} says it wasn't published`);
      const patch = { ...RESET_FOR_RETRY, message, accepted_at: now, ready_at: row.publish_at };
      return { state: await moveRow(tx, row, 'planned', now, patch), run: ref };
    }
    const { publicationId, status = 'processing' } = decision;
    return { state: await followPublication(store, tx, row, { publicationId, status, how: 'named', now }), run: ref };
  });
}

/** A direct publish ends with its acknowledgement: a person's confirmation replaces the one that was lost. */
async function saidSubmitted(
  tx: Tx,
  row: RowRecord,
  { publishId }: { publishId: string | null },
  { by, now }: { by: string; now: number },
): Promise<RowState> {
  const name = `row ${row.line} (key ${row.key})`;
  const { via } = await valuesAt(tx, { snapshot: row.entry_snapshot, position: row.entry_position });
  if (via !== 'direct') {
    throw new LedgerStateError(`${name} isn't a direct publish: the id of its publication is needed`);
  }
  if (publishId !== null) {
    const other = await ownerRow(tx, row.account, publishId);
    if (other !== null) {
      throw new LedgerStateError(
        `publish id ${publishId} is that of row ${other.line} (key ${other.key}) of campaign ${other.campaign}`,
      );
    }
  }
  const message = shortMessage(`${by} says it was published; no outcome can be read`);
  return moveRow(tx, row, 'submitted', now, { publish_id: publishId, code: SAID_PUBLISHED, message, candidates: null });
}

async function unconfirmedRow(tx: Tx, { run, key, channelId }: ResolveInput, now: number): Promise<RowRecord> {
  let rows = tx
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .selectAll('rows')
    .select('channels.text_id')
    .where('rows.campaign', '=', run.campaign)
    .where('rows.key', '=', key)
    .where((eb) =>
      eb.or([
        eb('rows.state', '=', 'unconfirmed'),
        eb.and([eb('rows.state', '=', 'creating'), eb.exists(lostAttempt(eb))]),
      ]),
    );
  if (channelId !== undefined) rows = rows.where('channels.text_id', '=', channelId);
  const found = await rows.execute();
  const [row] = found;
  if (!row) throw new LedgerStateError(`campaign ${run.campaign} has no unconfirmed row with the key ${key}`);
  if (found.length === 1) {
    if (row.state === 'creating') await moveRow(tx, row, 'unconfirmed', now);
    return { ...row, state: 'unconfirmed' };
  }
  const channels = found.map((other) => other.text_id).join(', ');
  throw new LedgerStateError(`key ${key} is unconfirmed in several channels; name one of them: ${channels}`);
}
