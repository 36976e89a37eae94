import { sql } from 'kysely';
import { LedgerFaultError } from '../model/errors';
import { IS_UNKNOWN } from './lost-attempts';
import { readAttempt } from './attempt-records';
import { patchRow, readRow } from '../rows/rows';
import { runIdOf } from '../runs/read-run';
import { endAsUnknown } from './settle';
import { type Db, iso, prepared, preparedFirst, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type ListScan, type UnsettledAttempt, type WorkerIdentity } from '../model/attempt-types';
import { type RowValues, type RunRef } from '../model/types';
import { toIdentity } from './workers';

/** Refusals that concern the key or the channel, not the row. */
const ACCESS = [401, 403, 404];

/** Attempts of a run's rows, with the values that were sent and the worker that made them. */
function attemptsOf(db: Db) {
  return (
    db
      .selectFrom('rows')
      .innerJoin('attempts', 'attempts.row_id', 'rows.id')
      .innerJoin('entries', (join) =>
        join
          .on('entries.snapshot_id', '=', sql<number>`coalesce(attempts.entry_snapshot, rows.entry_snapshot)`)
          .on('entries.position', '=', sql<number>`coalesce(attempts.entry_position, rows.entry_position)`),
      )
      // A worker whose registration was lost counts as one of an unknown host, last seen at its claim.
      .leftJoin('workers', 'workers.id', 'attempts.worker_id')
      .innerJoin('channels', 'channels.id', 'rows.channel_id')
      .select(['attempts.row_id', 'attempts.number', 'attempts.claimed_at', 'attempts.ended_at', 'attempts.code'])
      .select(['attempts.message', 'attempts.not_before', 'attempts.sequence', 'attempts.refused'])
      .select(['attempts.http_status', 'attempts.channel_id', 'attempts.worker_id'])
      .select(['rows.account', 'rows.key', 'rows.line', 'rows.position', 'entries.values'])
      .select(['workers.host_id', 'workers.boot_id', 'workers.pid', 'workers.start_time'])
      .select((eb) => eb.fn.coalesce('workers.seen_at', 'attempts.claimed_at').as('seen_at'))
      .select(['workers.forgotten_at', 'channels.text_id as channel'])
  );
}

const creating = prepared<{ runId: number }, AttemptRecord>((db, p) =>
  attemptsOf(db)
    .where('rows.run_id', '=', p.runId)
    .where('rows.state', '=', 'creating')
    .where((eb) =>
      eb.or([
        eb('attempts.ended_at', 'is', null),
        eb.and([
          IS_UNKNOWN,
          eb('attempts.settled_at', 'is', null),
          eb('attempts.number', '=', eb.ref('rows.attempts')),
        ]),
      ]),
    ),
);

type AttemptRecord = Awaited<ReturnType<ReturnType<typeof attemptsOf>['execute']>>[number];

const leftOpen = prepared<{ runId: number }, AttemptRecord>((db, p) =>
  attemptsOf(db)
    .where('attempts.ended_at', 'is', null)
    .where('rows.state', '!=', 'creating')
    // Few attempts are open, but a run may have many rows: the addition keeps the planner from starting with the rows.
    .where(sql<number>`rows.run_id + 0`, '=', p.runId),
);

const scansOfRun = prepared<{ runId: number }, Tables['list_scans']>((db, p) =>
  db
    .selectFrom('rows')
    .innerJoin('list_scans', 'list_scans.row_id', 'rows.id')
    .selectAll('list_scans')
    .where('rows.run_id', '=', p.runId)
    .where('rows.state', '=', 'creating')
    .orderBy('list_scans.row_id')
    .orderBy('list_scans.number'),
);

/** Attempts that are open or ended as `unknown`: those of rows being created, and open ones of rows that moved on. */
export async function unsettled(store: Store, run: RunRef): Promise<UnsettledAttempt[]> {
  const runId = await runIdOf(store.db, run);
  const found = [...(await creating(store.db, { runId })), ...(await leftOpen(store.db, { runId }))];
  if (found.length === 0) return [];
  const scans = await scansOf(store, runId);
  return found
    .sort((a, b) => a.position - b.position || a.number - b.number)
    .map((record) => ({
      rowId: record.row_id,
      attempt: record.number,
      account: record.account,
      key: record.key,
      line: record.line,
      channel: record.channel,
      values: JSON.parse(record.values) as RowValues,
      worker: toIdentity(record.worker_id, record),
      workerSeenAt: iso(record.seen_at),
      workerForgotten: record.forgotten_at !== null,
      claimedAt: iso(record.claimed_at),
      endedAt: iso(record.ended_at),
      code: record.code,
      message: record.message,
      notBefore: iso(record.not_before),
      refused: record.refused !== 1 ? null : ACCESS.includes(record.http_status ?? 0) ? 'access' : 'row',
      channelId: record.channel_id,
      sequence: record.sequence ?? 0,
      scans: scans.get(`${record.row_id}/${record.number}`) ?? [],
    }));
}

/**
 * Attempts that no worker has ended, of all runs, with the workers that claimed them; attempts without a registered
 * worker are left out.
 */
export async function openAttempts(
  store: Store,
): Promise<{ rowId: number; attempt: number; worker: WorkerIdentity }[]> {
  const found = await store.db
    .selectFrom('attempts')
    .innerJoin('workers', 'workers.id', 'attempts.worker_id')
    .select(['attempts.row_id', 'attempts.number', 'attempts.worker_id'])
    .select(['workers.host_id', 'workers.boot_id', 'workers.pid', 'workers.start_time'])
    .where('attempts.ended_at', 'is', null)
    .execute();
  return found.map((one) => ({
    rowId: one.row_id,
    attempt: one.number,
    worker: toIdentity(one.worker_id, one),
  }));
}

async function scansOf(store: Store, runId: number): Promise<Map<string, ListScan[]>> {
  const scans = new Map<string, ListScan[]>();
  for (const { row_id, attempt, at, served_at, candidates, complete, current, settled } of await scansOfRun(store.db, {
    runId,
  })) {
    const key = `${row_id}/${attempt}`;
    const scan: ListScan = {
      at,
      servedAt: served_at,
      candidates: JSON.parse(candidates) as string[],
      full: complete === 1,
      current: current === 1,
      settled: settled === 1,
    };
    scans.set(key, [...(scans.get(key) ?? []), scan]);
  }
  return scans;
}

/** The unsettled attempts of rows that are to be sent, each with the row's time (ms; 0: at once). */
export async function unsent(store: Store, rowIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (rowIds.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('rows')
    .select(['id', 'ready_at'])
    .where('id', 'in', rowIds)
    .where('state', 'in', ['planned', 'waiting'])
    .execute();
  return new Map(rows.map((row) => [row.id, row.ready_at]));
}

/**
 * The fence right before a request leaves: the attempt has been neither ended nor settled, and it belongs to this
 * worker. A database that lost a claim may have given the same number to another worker. Only reads.
 */
export function createFence(store: Store): (rowId: number, attempt: number, worker: string) => Promise<boolean> {
  const open = preparedFirst<{ rowId: number; attempt: number; worker: string }, { number: number }>((db, p) =>
    db
      .selectFrom('attempts')
      .innerJoin('rows', 'rows.id', 'attempts.row_id')
      .select('attempts.number')
      .where('attempts.row_id', '=', p.rowId)
      .where('attempts.number', '=', p.attempt)
      .where('attempts.worker_id', '=', p.worker)
      .where('attempts.ended_at', 'is', null)
      .where('rows.state', '=', 'creating')
      .where('rows.attempts', '=', p.attempt),
  );
  return async (rowId, attempt, worker) => (await open(store.db, { rowId, attempt, worker })) !== undefined;
}

/** The account of a row. */
export function createAccountOf(store: Store): (rowId: number) => Promise<string> {
  const account = preparedFirst<{ rowId: number }, { account: string }>((db, p) =>
    db.selectFrom('rows').select('account').where('id', '=', p.rowId),
  );
  return async (rowId) => {
    const row = await account(store.db, { rowId });
    if (!row) throw new LedgerFaultError(`the ledger has no row with the id ${rowId}`);
    return row.account;
  };
}

/** Ends an open attempt whose worker is proven dead; does nothing if it ended meanwhile. */
export async function endDeadAttempt(store: Store, rowId: number, number: number): Promise<void> {
  await store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    const attempt = await readAttempt(tx, row, number);
    if (attempt.ended_at !== null) return;
    const died = { code: 'worker-died', message: 'its worker died before it recorded the outcome of the create' };
    await endAsUnknown(tx, row, number, { ...died, now: store.now() });
    if (row.state === 'creating' && row.attempts === number) await patchRow(tx, rowId, died);
  });
}

export async function addScan(store: Store, rowId: number, attempt: number, scan: ListScan): Promise<void> {
  await store.write(async (tx) => {
    await readAttempt(tx, await readRow(tx, rowId), attempt);
    const before = await tx
      .selectFrom('list_scans')
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .where('row_id', '=', rowId)
      .where('attempt', '=', attempt)
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('list_scans')
      .values({
        row_id: rowId,
        attempt,
        number: Number(before.count) + 1,
        at: scan.at,
        candidates: JSON.stringify(scan.candidates),
        complete: scan.full ? 1 : 0,
        current: scan.current ? 1 : 0,
        settled: scan.settled ? 1 : 0,
        served_at: scan.servedAt,
      })
      .execute();
  });
}
