import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve as absolute } from 'node:path';
import { type Dialect, HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression } from 'kysely';
import { type DatabaseClock, startDatabaseClock } from './engine/database-clock';
import { isServerShown } from './engine/database-server';
import { createStore } from './engine/group-commit';
import { migrate } from './engine/migrations/migrations';
import { isPostgres, PostgresDialect } from './engine/postgres-dialect';
import { mirrorPath } from './engine/sequence-file';
import { LibsqlDialect } from './engine/sqlite-dialect';
import { type Store } from './engine/store';
import { type Tables } from './engine/tables';
import { following } from './interfaces/following';
import { holding } from './interfaces/holding';
import { maintaining } from './interfaces/maintaining';
import { operating } from './interfaces/operating';
import { reading } from './interfaces/reading';
import { reconciling } from './interfaces/reconciling';
import { running } from './interfaces/running';
import { sending } from './interfaces/sending';
import { type Ledger } from './ledger';
import { bindHost, demandLocalDisk, type LedgerHost } from './maintenance/host-binding';
import { demandDurableDatabase } from './maintenance/durable-database';
import { guardSequence, type Safety } from './maintenance/rollback-guard';
import { demandNotMoved } from './maintenance/moved';
import {
  LedgerMovedError,
  LedgerOpenError,
  LedgerOtherHostError,
  LedgerRolledBackError,
  LedgerUnreachableError,
} from './model/errors';
import { type LedgerLocation, placeOf } from './model/location';
import { createFirings } from './schedules/firings';

export interface LedgerOptions {
  /** ms since the epoch. Default: the system's clock. */
  now?: () => number;
  /** How long (ms) a write waits for other processes. Default 120,000. */
  busyBoundMs?: number;
  /** The machine that opens it; a ledger belongs to one. Not checked when left out. */
  host?: LedgerHost;
  /** The ledger was moved to this machine on purpose, and no worker of the other machine runs. */
  newHost?: boolean;
  /** Opens a ledger even if it was rolled back: for reading and for reconciling it. */
  allowRolledBack?: boolean;
}

/**
 * Opens the ledger, after creating it or migrating it to this version's tables. `:memory:` is a temporary ledger that
 * is gone when it is closed.
 * @throws LedgerOpenError if it can't be opened, isn't a ledger, or was migrated by a newer version
 * @throws LedgerRolledBackError if the ledger was rolled back
 * @throws LedgerMovedError if its file was moved to a database
 * @throws LedgerOtherHostError if its file belongs to another machine
 * @throws LedgerUnreachableError if its database can't be reached
 */
export async function openLedger(location: LedgerLocation, options: LedgerOptions = {}): Promise<Ledger> {
  const { engine, place, sequenceFile, path } = databaseOf(location, options);
  let db: Kysely<Tables> | undefined;
  let clock: DatabaseClock | undefined;
  try {
    if (path !== null) makeFile(path);
    else if (sequenceFile !== null) mkdirSync(dirname(sequenceFile), { recursive: true, mode: 0o700 });
    db = new Kysely<Tables>({ dialect: engine(), plugins: 'url' in location ? [EMPTY_LISTS] : [] });
    if ('url' in location) await demandDurableDatabase(db);
    else await demandNotMoved(db, place);
    await migrate(db);
    if ('url' in location && options.now === undefined) clock = await startDatabaseClock(db);
    const watched = 'url' in location ? { place, isServerShown: await isServerShown(db) } : undefined;
    const store = createStore(db, options.now ?? clock?.now ?? Date.now, watched);
    const id = await idOf(store);
    if (sequenceFile === null) return assemble(store, id, place, NOT_GUARDED);
    if (path !== null && options.host) await bindHost(store, options.host, { path, move: options.newHost ?? false });
    const { allowRolledBack = false } = options;
    const safety = await guardSequence(store, {
      ...{ id, place, sequenceFile, allowRolledBack },
      isServerShown: watched?.isServerShown ?? false,
    });
    return assemble(store, id, place, {
      ...safety,
      close() {
        safety.close();
        clock?.close();
      },
    });
  } catch (error) {
    clock?.close();
    await db?.destroy().catch(() => undefined);
    if (PASSED_ON.some((known) => error instanceof known)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LedgerOpenError(`the ledger ${place} can’t be opened: ${reason}`, { cause: error });
  }
}

/** PostgreSQL doesn't have SQLite's empty `in ()`, which matches nothing. */
const EMPTY_LISTS = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });

const PASSED_ON = [LedgerMovedError, LedgerOtherHostError, LedgerRolledBackError, LedgerUnreachableError] as const;

/** How long (ms) a statement waits for the database or for other writers. */
const BOUND_MS = 120_000;
/** One connection writes; the others read. */
const CONNECTIONS = 4;

interface Database {
  engine: () => Dialect;
  /** For people. */
  place: string;
  /** Null: its sequence number is not stored. */
  sequenceFile: string | null;
  /** The file that has to be created; null: there is none. */
  path: string | null;
}

function databaseOf(location: LedgerLocation, { busyBoundMs = BOUND_MS }: LedgerOptions): Database {
  if ('url' in location) {
    const { url, sequenceFile } = location;
    const place = placeOf(location);
    const engine = () => new PostgresDialect({ url, location: place, boundMs: busyBoundMs, connections: CONNECTIONS });
    return { engine, place, sequenceFile, path: null };
  }
  const inMemory = location.path === ':memory:';
  const path = inMemory ? location.path : absolute(location.path);
  return {
    engine: () => new LibsqlDialect({ path, busyBoundMs }),
    place: path,
    sequenceFile: inMemory ? null : mirrorPath(path),
    path: inMemory ? null : path,
  };
}

/**
 * A ledger on a database that is already open and has this version's tables: several of them share one in memory, as
 * processes share a file. Closing one of them closes the database.
 */
export async function ledgerOn(db: Kysely<Tables>, now: () => number): Promise<Ledger> {
  const store = createStore(db, now);
  return assemble(store, await idOf(store), ':memory:', NOT_GUARDED);
}

async function idOf({ db }: Store): Promise<string> {
  const meta = db.selectFrom('meta').select('value').where('name', '=', 'id');
  return (await meta.executeTakeFirstOrThrow()).value;
}

/**
 * Created before SQLite opens it, so that neither it nor the files beside it are ever readable by others. An existing
 * file is never opened other than by SQLite: closing it would drop the locks of every connection that this process has
 * to it, and the next process to close its own would delete the log.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  demandLocalDisk(path);
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

const NOT_GUARDED: Safety = { rolledBack: null, accept: async () => undefined, close: () => undefined };

function assemble(store: Store, id: string, location: string, safety: Safety): Ledger {
  return {
    id,
    now: store.now,
    severalHosts: isPostgres(store.db),
    location,
    rolledBack: safety.rolledBack,
    firings: createFirings(store),
    ...running(store),
    ...sending(store),
    ...reconciling(store),
    ...following(store),
    ...holding(store),
    ...operating(store),
    ...reading(store),
    ...maintaining(store, safety),
    async close() {
      await store.db.destroy();
      safety.close();
    },
  };
}
