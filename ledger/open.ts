import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve as absolute } from 'node:path';
import { Kysely } from 'kysely';
import { createStore } from './engine/group-commit';
import { migrate } from './engine/migrations/migrations';
import { LibsqlDialect } from './engine/sqlite-dialect';
import { type Store } from './engine/store';
import { type Tables } from './engine/tables';
import { following } from './interfaces/following';
import { holding } from './interfaces/holding';
import { keeping } from './interfaces/keeping';
import { operating } from './interfaces/operating';
import { reading } from './interfaces/reading';
import { reconciling } from './interfaces/reconciling';
import { running } from './interfaces/running';
import { sending } from './interfaces/sending';
import { type Ledger } from './ledger';
import { bindHost, demandLocalDisk, type LedgerHost } from './maintenance/host-binding';
import { guardSequence, type Safety } from './maintenance/rollback-guard';
import { LedgerOpenError, LedgerOtherHostError, LedgerRolledBackError } from './model/errors';
import { createFirings } from './schedules/firings';

export interface LedgerLocation {
  /** The database's file; its folder is made, readable by its user only. */
  path: string;
}

export interface LedgerOptions {
  /** ms since the epoch. Default: the system's clock. */
  now?: () => number;
  /** How long (ms) a write waits for other processes. Default 120,000. */
  busyBoundMs?: number;
  /** The machine that opens it; a ledger belongs to one. Not checked when left out. */
  host?: LedgerHost;
  /** The ledger was moved to this machine on purpose, and no worker of the other one runs. */
  newHost?: boolean;
  /** Opens a ledger that went back in time too: for looking, and for reconciling it. */
  allowRolledBack?: boolean;
}

/**
 * Opens the ledger, making it or bringing it to this version's tables first.
 * `:memory:` is a ledger of nobody, gone when it is closed.
 * @throws LedgerOpenError when the file can't be opened, isn't a ledger, or was made by a newer version
 * @throws LedgerRolledBackError when the ledger is older than it was
 * @throws LedgerOtherHostError when it belongs to another machine
 */
export async function openLedger(location: LedgerLocation, options: LedgerOptions = {}): Promise<Ledger> {
  const inMemory = location.path === ':memory:';
  const path = inMemory ? location.path : absolute(location.path);
  let db: Kysely<Tables> | undefined;
  try {
    if (!inMemory) makeFile(path);
    const busy = options.busyBoundMs === undefined ? {} : { busyBoundMs: options.busyBoundMs };
    db = new Kysely<Tables>({ dialect: new LibsqlDialect({ path, ...busy }) });
    await migrate(db);
    const store = createStore(db, options.now ?? Date.now);
    const id = await idOf(store);
    if (inMemory) return assemble(store, id, path, NOT_GUARDED);
    if (options.host) await bindHost(store, options.host, { path, move: options.newHost ?? false });
    const safety = await guardSequence(store, { id, path, allowRolledBack: options.allowRolledBack ?? false });
    return assemble(store, id, path, safety);
  } catch (error) {
    await db?.destroy().catch(() => undefined);
    if (error instanceof LedgerRolledBackError || error instanceof LedgerOtherHostError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LedgerOpenError(`the ledger ${path} can't be opened: ${reason}`, { cause: error });
  }
}

/**
 * A ledger on a database that is open already and has this version's tables: several of them share one in memory, as
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
 * Made before SQLite opens it, so that neither it nor the files beside it are ever readable by others. One that is there is
 * never opened past SQLite: closing it would drop the locks of every connection that this process has to it, and the next
 * process to close its own would delete the log under them.
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
    ...keeping(store, safety),
    async close() {
      await store.db.destroy();
      safety.close();
    },
  };
}
