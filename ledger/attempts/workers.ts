import { WorkerForgottenError, WorkerUnknownError } from '../model/errors';
import { iso, preparedChange, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type HeardWorker, type WorkerIdentity, type WorkerPulse } from '../model/attempt-types';

export async function registerWorker(store: Store, worker: WorkerIdentity): Promise<void> {
  const now = store.now();
  await store.write(async (tx) => {
    await tx
      .insertInto('workers')
      .values({
        id: worker.id,
        host_id: worker.hostId,
        boot_id: worker.bootId,
        pid: worker.pid,
        start_time: worker.startTime,
        registered_at: now,
        seen_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
      .execute();
  });
}

/** The worker that the ledger heard from last. */
export async function lastPulse(store: Store): Promise<WorkerPulse | null> {
  const found = await store.db
    .selectFrom('workers')
    .select(['id', 'pid', 'seen_at'])
    .orderBy('seen_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found === undefined ? null : { id: found.id, pid: found.pid, seenAt: iso(found.seen_at) };
}

/** The workers that the ledger heard from last, newest first. Only their hosts can tell whether they are still running. */
export async function recentWorkers(store: Store, limit: number): Promise<HeardWorker[]> {
  const found = await store.db.selectFrom('workers').selectAll().orderBy('seen_at', 'desc').limit(limit).execute();
  return found.map(toHeardWorker);
}

export function toHeardWorker(worker: Omit<Tables['workers'], 'forgotten_at' | 'forgotten_by'>): HeardWorker {
  return { ...toIdentity(worker.id, worker), seenAt: iso(worker.seen_at) };
}

type Registration = Pick<Tables['workers'], 'host_id' | 'boot_id' | 'pid' | 'start_time'>;

/** A process as the ledger knows it; of one whose registration was lost it knows the id only. */
export function toIdentity(
  id: string,
  known: { [Field in keyof Registration]: Registration[Field] | null },
): WorkerIdentity {
  const { host_id: hostId, boot_id: bootId, pid, start_time: startTime } = known;
  return { id, hostId: hostId ?? '', bootId: bootId ?? '', pid: pid ?? 0, startTime: startTime ?? '' };
}

const noteSeen = preparedChange<{ workerId: string; at: number }>((db, p) =>
  db.updateTable('workers').set({ seen_at: p.at }).where('id', '=', p.workerId).where('forgotten_at', 'is', null),
);

/**
 * @throws WorkerForgottenError if a person removed the worker
 * @throws WorkerUnknownError if its registration is lost
 */
export async function workerSeen(store: Store, workerId: string): Promise<void> {
  const seen = await store.write((tx) => noteSeen(tx, { workerId, at: store.now() }));
  if (seen === 1) return;
  const worker = await store.db.selectFrom('workers').select('id').where('id', '=', workerId).executeTakeFirst();
  throw worker ? new WorkerForgottenError(workerId) : new WorkerUnknownError(workerId);
}
