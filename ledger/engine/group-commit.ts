import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import { LedgerRolledBackError } from '../model/errors';
import { isSameServer } from './database-server';
import { isRaising, stopRaising, raiseIfAsked } from './raise-sequence';
import { type Db, type Store, type Tx, withConnection } from './store';

/** Writes that wait together are committed together: at most so many, and none is begun after so long (ms). */
const GROUP_WRITES = 32;
const GROUP_MS = 20;

interface Waiting {
  run: (tx: Tx) => Promise<void>;
  done(): void;
  failed(error: unknown): void;
}

/** A database that may be another one from one write to the next, after a failover. */
export interface WatchedDatabase {
  /** For people. */
  place: string;
  /** Which server it is on can be asked for. */
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
 * Runs writes one after the other, and commits those that wait together in one transaction: making a commit durable
 * takes longer than most of them do. Each still is all there when it resolves, or not at all: one that throws is taken
 * back alone, and when the commit fails they all have failed.
 */
function createGroupCommit(
  db: Db,
  { onRaised, watched }: { onRaised: (sequence: number) => void; watched: WatchedDatabase | undefined },
): Store['write'] {
  const waiting: Waiting[] = [];
  let draining = false;
  /** The newest number that this process has raised the ledger's to. */
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
            // Taken back alone, the first takes nothing with it: it needs no savepoint, and mostly it is the only one.
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
      // The driver is synchronous: without a turn of the event loop no second write would ever wait.
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

/** Notes why a write was taken back; throws where that can't be, as the whole transaction is gone (a full disk ends it). */
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
