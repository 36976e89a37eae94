import { toHeardWorker } from '../attempts/workers';
import { iso, type Store } from '../engine/store';
import { LedgerStateError } from '../model/errors';
import { type KnownWorker } from '../model/attempt-types';

/** Workers that were seen in the last 30 days, newest first; at most 200. */
const KNOWN_MS = 30 * 24 * 3_600_000;
const LIMIT = 200;
/** A worker that was seen within this time is still running: workers report in every 5 s. */
const ALIVE_MS = 30_000;

export async function knownWorkers(store: Store): Promise<KnownWorker[]> {
  const found = await store.db
    .selectFrom('workers')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('attempts')
        .select((e) => e.fn.countAll<number | string>().as('n'))
        .whereRef('attempts.worker_id', '=', 'workers.id')
        .where('ended_at', 'is', null)
        .$asScalar()
        .as('open'),
    )
    .where('seen_at', '>', store.now() - KNOWN_MS)
    .orderBy('seen_at', 'desc')
    .limit(LIMIT)
    .execute();
  return found.map((worker) => ({
    ...toHeardWorker(worker),
    open: Number(worker.open),
    forgottenAt: iso(worker.forgotten_at),
  }));
}

/**
 * Records a person's confirmation that a worker's process is gone: its open creates are settled by the evidence rules,
 * like those of a worker that is proven dead, and it gets no new ones. None of its requests may still be under way.
 * @throws LedgerStateError for a worker that was seen in the last 30 s
 */
export async function forgetWorker(store: Store, id: string, by: string): Promise<void> {
  await store.write(async (tx) => {
    const worker = await tx.selectFrom('workers').select('seen_at').where('id', '=', id).executeTakeFirst();
    if (!worker) throw new LedgerStateError(`the ledger knows no worker ${id}`);
    const now = store.now();
    if (now - worker.seen_at < ALIVE_MS) {
      throw new LedgerStateError(
        `worker ${id} was last seen at ${iso(worker.seen_at)}, so it is still running; stop it, and it settles its creates itself`,
      );
    }
    await tx.updateTable('workers').set({ forgotten_at: now, forgotten_by: by }).where('id', '=', id).execute();
  });
}
