import { sql } from 'kysely';
import { toHeardWorker } from '../attempts/workers';
import { type Db, type Store } from '../engine/store';
import { raiseSequence } from '../engine/raise-sequence';
import { tableNames } from '../engine/half-made';
import { LedgerMovedError, LedgerStateError } from '../model/errors';
import { type WorkerIdentity } from '../model/attempt-types';
import { RECENT_MS } from './backup';

/** The key in `meta` under which a file records where its ledger was moved. */
export const MOVED_TO = 'moved_to';

/** Where the ledger of a file was moved; null: it wasn't. */
export async function movedTo(db: Db): Promise<string | null> {
  if (!(await tableNames(db)).includes('meta')) return null;
  const mark = await db.selectFrom('meta').select('value').where('name', '=', MOVED_TO).executeTakeFirst();
  return mark?.value ?? null;
}

/** @throws LedgerMovedError for a file whose ledger was moved to a database */
export async function demandNotMoved(db: Db, path: string): Promise<void> {
  const place = await movedTo(db);
  if (place !== null) throw new LedgerMovedError(path, place);
}

/**
 * Closes the ledger of a file permanently, before another place takes over its content: from here on nothing can be
 * changed in it, not even by a process that has it open, so that no row is claimed in both places. Its sequence number
 * is raised, so that an older copy of the file is noticed.
 * @throws LedgerStateError while one of its workers runs, or may run
 */
export async function leaveFor(
  store: Store,
  place: string,
  stateOf: (worker: WorkerIdentity) => 'alive' | 'dead' | 'unknown',
): Promise<void> {
  await store.write(async (tx) => {
    const workers = await tx.selectFrom('workers').selectAll().execute();
    const recent = store.now() - RECENT_MS;
    const running = workers.find((worker) => {
      const state = stateOf(toHeardWorker(worker));
      return state === 'alive' || (state === 'unknown' && worker.seen_at > recent);
    });
    if (running)
      throw new LedgerStateError(
        `a worker of this ledger still runs (process ${String(running.pid)}); stop all its workers first`,
      );
    await tx.insertInto('meta').values({ name: MOVED_TO, value: place }).execute();
    raiseSequence(tx);
    const text = sql.lit(`the ledger was moved to ${place}; nothing is written here any more`);
    for (const table of await tableNames(tx)) {
      // Raised once more by this write itself.
      if (table === 'sequence') continue;
      for (const change of ['insert', 'update', 'delete'])
        await sql`create trigger ${sql.id(`moved_${table}_${change}`)} before ${sql.raw(change)} on ${sql.table(table)}
          begin select raise(abort, ${text}); end`.execute(tx);
    }
  });
}
