import { noteChange } from '../runs/changes';
import { gateScope, gatesOfKind, putGate } from '../runs/gates';
import { moveRow } from '../rows/rows';
import { type RunRecord, readRun } from '../runs/read-run';
import { BY_PERSON } from '../model/cancel-asked';
import { type RowState } from '../model/states';
import { yieldToEventLoop, PAGE_ROWS, type Store, type Tx } from '../engine/store';
import { type RunRef } from '../model/types';

export interface CancelInput {
  run: RunRef;
  channelId?: string;
  keys?: readonly string[];
  by: string;
}

export interface CancelResult {
  /** Rows that won't be sent. */
  cancelled: number;
  /** Rows whose create is under way; they are cancelled if the create turns out not to have happened. */
  claimed: number;
}

/** What a cancel would affect, in rows. */
export interface CancelPreview {
  /** They won't be sent. */
  unsent: number;
  /** Their files are being uploaded now: the uploads are interrupted. */
  uploads: number;
  /** Other creates under way: they are followed to their end. */
  sending: number;
}

/** Cancels everything that is not claimed. The gate is committed first: from then on no claim in its scope succeeds. */
export async function cancel(store: Store, input: CancelInput): Promise<CancelResult> {
  const run = await readRun(store.db, input.run);
  const whole = input.channelId === undefined;
  const what = await describe(store, input);
  await store.write(async (tx) => {
    if (input.keys === undefined && run.open === 1) {
      const scope = whole ? gateScope.run(input.run) : gateScope.runChannel(input.run, input.channelId ?? '');
      await putGate(tx, { scope, kind: 'cancelled', by: input.by, reason: 'cancelled' }, store.now());
    }
    await noteChange(tx, { runId: run.id, scope: gateScope.run(input.run), by: input.by, what }, store.now());
  });
  // Rows that are being sent first, because ending the rest takes time if there are many.
  const asked = await askClaimed(store, run, input);
  const cancelled = await cancelUnclaimed(store, run, input);
  // Keys have no gate: some of the rows may have been claimed meanwhile.
  const later = input.keys === undefined ? [] : await askClaimed(store, run, input);
  const claimed = new Set([...asked, ...later]).size;
  return { cancelled, claimed };
}

/** What a cancel would do now; it may change before the cancel happens. */
export async function previewCancel(store: Store, input: Omit<CancelInput, 'by'>): Promise<CancelPreview> {
  const run = await readRun(store.db, input.run);
  const unsent = await inScope(store.db, run, input, ['planned', 'waiting']);
  const creating = await inScope(store.db, run, input, ['creating']);
  const open = await store.db
    .selectFrom('attempts')
    .innerJoin('rows', 'rows.id', 'attempts.row_id')
    .select(['rows.id', 'rows.upload'])
    .where('attempts.run_id', '=', run.id)
    .where('attempts.ended_at', 'is', null)
    .execute();
  const uploading = new Set(open.filter(({ upload }) => upload === 1).map(({ id }) => id));
  const uploads = creating.filter(({ id }) => uploading.has(id)).length;
  return { unsent: unsent.length, uploads, sending: creating.length - uploads };
}

async function describe(store: Store, { channelId, keys }: CancelInput): Promise<string> {
  if (keys !== undefined) {
    const shown = keys.slice(0, 5).join(', ');
    return `cancel ${keys.length} ${keys.length === 1 ? 'row' : 'rows'}: ${shown}${keys.length > 5 ? ', …' : ''}`;
  }
  if (channelId === undefined) return 'cancel';
  const channel = await store.db
    .selectFrom('channels')
    .select('label')
    .where('text_id', '=', channelId)
    .executeTakeFirst();
  return `cancel ${channel?.label ?? channelId}`;
}

/**
 * Ends the rows that are left in cancelled scopes of the run: rows that an import planned meanwhile, and rows that a
 * cancel did not reach because it was killed after its gate.
 */
export async function cancelGated(store: Store, ref: RunRef): Promise<void> {
  const own = gateScope.run(ref);
  const closed = await gatesOfKind(store.db, { kind: 'cancelled' });
  const within = closed.filter(({ scope }) => scope === own || scope.startsWith(`${own}/channel:`));
  if (within.length === 0) return;
  const run = await readRun(store.db, ref);
  for (const { scope, by } of within) {
    const input = { run: ref, by, ...(scope === own ? {} : { channelId: scope.slice(own.length + 9) }) };
    await askClaimed(store, run, input);
    await cancelUnclaimed(store, run, input);
  }
}

/** Marks rows whose create is under way: cancelled if it turns out not to have happened. */
async function askClaimed(store: Store, run: RunRecord, input: CancelInput): Promise<number[]> {
  return store.write(async (tx) => {
    const asked = await inScope(tx, run, input, ['creating']);
    for (const row of asked)
      await tx.updateTable('rows').set({ cancel_asked: BY_PERSON }).where('id', '=', row.id).execute();
    return asked.map(({ id }) => id);
  });
}

/** Reopens what was cancelled in a run, so that a new submission of it is sent. */
export async function uncancel(tx: Tx, run: RunRef): Promise<void> {
  const own = gateScope.run(run);
  const closed = await tx.selectFrom('gates').select('scope').where('kind', '=', 'cancelled').execute();
  for (const { scope } of closed) {
    if (scope !== own && !scope.startsWith(`${own}/`)) continue;
    await tx.deleteFrom('gates').where('scope', '=', scope).where('kind', '=', 'cancelled').execute();
  }
}

async function cancelUnclaimed(store: Store, run: RunRecord, input: CancelInput): Promise<number> {
  let cancelled = 0;
  for (;;) {
    const page = await store.write(async (tx) => {
      const rows = await inScope(tx, run, input, ['planned', 'waiting'], PAGE_ROWS);
      for (const row of rows) {
        await moveRow(tx, row, 'cancelled', store.now(), { code: 'cancelled', message: `cancelled by ${input.by}` });
      }
      return rows.length;
    });
    cancelled += page;
    if (page === 0) return cancelled;
    await yieldToEventLoop();
  }
}

async function inScope(
  db: Store['db'],
  run: RunRecord,
  input: Pick<CancelInput, 'channelId' | 'keys'>,
  states: readonly RowState[],
  limit?: number,
) {
  let rows = db
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select(['rows.id', 'rows.state', 'rows.key', 'rows.line'])
    .where('rows.run_id', '=', run.id)
    .where('rows.state', 'in', states);
  if (input.channelId !== undefined) rows = rows.where('channels.text_id', '=', input.channelId);
  if (input.keys !== undefined) rows = rows.where('rows.key', 'in', input.keys);
  if (limit !== undefined) rows = rows.limit(limit);
  return rows.execute();
}
