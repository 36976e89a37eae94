import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import { LedgerRolledBackError } from '../model/errors';
import { isSameServer } from './database-server';
import { isRaising, stopRaising, raiseIfAsked } from './raise-sequence';
import { type Db, type Store, type Tx, withConnection } from './store';

/** Writes that wait together are committed together: at most this many, and none is started after this long (ms). */
const GROUP_WRITES = 32;
const GROUP_MS = 20;

interface Waiting {
  run: (tx: Tx) => Promise<void>;
  done(): void;
  failed(error: unknown): void;
}

/** A database that may be a different one at the next write, after a failover. */
export interface WatchedDatabase {
  /** For people. */
  place: string;
  /** It can be asked which server it is on. */
  isServerShown: boolean;
}

export function createStore(db: Db, now: () => number, watched?: WatchedDatabase): Store {
  let listener: ((sequence: number) => void) | undefined;
  return {
    db,
    now,
    write: createGroupCommit(db, { onRaised: (sequence) => listener?.(sequence), watched }),
    onRaised: (heard) => {
      listener = heard;
    },
  };
}

/**
 * Runs writes one after another, and commits those that wait together in one transaction, because making a commit
 * durable takes longer than most writes do. Each write is still all or nothing: one that throws is rolled back alone,
 * and if the commit fails, all of them have failed.
 */
function createGroupCommit(
  db: Db,
  { onRaised, watched }: { onRaised: (sequence: number) => void; watched: WatchedDatabase | undefined },
): Store['write'] {
  const waiting: Waiting[] = [];
  let draining = false;
  /** The highest sequence number that this process has given the ledger. */
  let raisedTo = 0;

  async function commitGroup(first: Waiting): Promise<void> {
    const until = performance.now() + GROUP_MS;
    const group: Waiting[] = [];
    const refused = new Map<Waiting, unknown>();
    const open = () => group.length < GROUP_WRITES && performance.now() < until;
    const tell = (write: Waiting, how: () => void) => {
      if (refused.has(write)) write.failed(refused.get(write));
      else how();
    };
    try {
      const tx = await db.startTransaction().execute();
      let sequence: number | undefined;
      try {
        await withConnection(tx, async (connection) => {
          for (let current: Waiting | undefined = first; current; current = open() ? waiting.shift() : undefined) {
            group.push(current);
            // If the first write is rolled back, nothing else is lost with it: it needs no savepoint, and usually it is
            // the only one.
            if (current === first) await current.run(tx);
            else await runAfterOthers(tx, connection, current, refused);
          }
        });
        sequence = await raiseIfAsked(tx);
        if (watched !== undefined && sequence !== undefined) {
          const { place } = watched;
          if (sequence <= raisedTo)
            throw new LedgerRolledBackError(place, { lost: false, sequence, expected: raisedTo });
          if (watched.isServerShown && !(await isSameServer(tx, { note: true })))
            throw new LedgerRolledBackError(place, { lost: false, sequence, expected: sequence, promoted: true });
        }
        await tx.commit().execute();
      } catch (error) {
        await tx.rollback().execute();
        throw error;
      }
      if (sequence !== undefined) {
        raisedTo = sequence;
        onRaised(sequence);
      }
      for (const write of group) tell(write, () => write.done());
    } catch (error) {
      // The transaction didn't even begin.
      if (group.length === 0) group.push(first);
      for (const write of group) tell(write, () => write.failed(error));
    }
  }

  async function drain(): Promise<void> {
    if (draining) return;
    draining = true;
    while (waiting.length > 0) {
      // The driver is synchronous: without a turn of the event loop, no second write would ever be waiting.
      await nextTurn();
      const first = waiting.shift();
      if (first) await commitGroup(first);
    }
    draining = false;
  }

  return <T>(work: (tx: Tx) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      let result: T;
      const run = async (tx: Tx) => {
        result = await work(tx);
      };
      waiting.push({ run, done: () => resolve(result), failed: reject });
      void drain();
    });
}

const SAVE = CompiledQuery.raw('savepoint one');
const TAKE_BACK = CompiledQuery.raw('rollback to savepoint one');
const KEEP = CompiledQuery.raw('release savepoint one');

/**
 * Records why a write was rolled back. Throws if that isn't possible because the whole transaction is gone (a full disk
 * ends it).
 */
async function runAfterOthers(
  tx: Tx,
  connection: DatabaseConnection,
  write: Waiting,
  refused: Map<Waiting, unknown>,
): Promise<void> {
  const raising = isRaising(tx);
  await connection.executeQuery(SAVE);
  try {
    await write.run(tx);
  } catch (error) {
    refused.set(write, error);
    await connection.executeQuery(TAKE_BACK);
    if (!raising) stopRaising(tx);
  }
  await connection.executeQuery(KEEP);
}
