import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve as absolute } from 'node:path';
import { Kysely, Migrator } from 'kysely';
import { bindAccount } from './accounts';
import { readBaseline, saveBaseline } from './baselines';
import { disputedRows, needsPerson } from './attention';
import { cancel } from './cancel';
import { campaignChannels, channels, createPages } from './channels';
import { createClaim } from './claim';
import { createEarlier, revive } from './earlier';
import { LedgerOpenError } from './errors';
import { clearGate, gates, setGate } from './gates';
import { createImport } from './import';
import { type Ledger } from './ledger';
import { migrationProvider } from './migrations';
import { orphans } from './orphans';
import { countRetry, resolve, retry } from './people';
import { noteSeen, owned, ownerRow, visibility } from './publications';
import { createRecord } from './record';
import { columns, counts, createResults } from './results';
import { beginRun, findRun, finishRun, holds, listRuns, openRows, runIdOf } from './runs';
import { settle } from './settle';
import { LibsqlDialect } from './sqlite-dialect';
import { createStore, type Store } from './store';
import { createSubmissions } from './submit';
import { type Tables } from './tables';
import {
  addLook,
  createAccountOf,
  createFence,
  endDeadAttempt,
  registerWorker,
  unsettled,
  unsettledOnAccount,
  workerSeen,
} from './unsettled';
import { inFlight, noteStatus, recordEnds } from './watch';

export interface LedgerLocation {
  /** The database's file; its folder is made, readable by its user only. */
  path: string;
}

export interface LedgerOptions {
  /** ms since the epoch. Default: the system's clock. */
  now?: () => number;
  /** How long (ms) a write waits for other processes. Default 120,000. */
  busyBoundMs?: number;
}

/**
 * Opens the ledger, making it or bringing it to this version's tables first.
 * @throws LedgerOpenError when the file can't be opened, isn't a ledger, or was made by a newer version
 */
export async function openLedger(location: LedgerLocation, options: LedgerOptions = {}): Promise<Ledger> {
  const path = absolute(location.path);
  let db: Kysely<Tables> | undefined;
  try {
    makeFile(path);
    const busy = options.busyBoundMs === undefined ? {} : { busyBoundMs: options.busyBoundMs };
    db = new Kysely<Tables>({ dialect: new LibsqlDialect({ path, ...busy }) });
    await migrate(db);
    const { value: id } = await db
      .selectFrom('meta')
      .select('value')
      .where('name', '=', 'id')
      .executeTakeFirstOrThrow();
    return assemble(createStore(db, options.now ?? Date.now), id, path);
  } catch (error) {
    await db?.destroy().catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new LedgerOpenError(`the ledger ${path} can't be opened: ${reason}`, { cause: error });
  }
}

/** Made before SQLite opens it, so that neither it nor the files beside it are ever readable by others. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: migrationProvider });
  const pending = (await migrator.getMigrations()).some((migration) => migration.executedAt === undefined);
  if (!pending) return;
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('the migration failed', { cause: error });
}

function assemble(store: Store, id: string, location: string): Ledger {
  const submissions = createSubmissions(store);
  return {
    id,
    location,
    close: () => store.db.destroy(),
    bindAccount: (input) => bindAccount(store, input),
    plan: submissions.plan,
    submit: submissions.submit,
    beginRun: (input) => beginRun(store, input),
    importSubmissions: createImport(store).importSubmissions,
    holds: (run) => holds(store, run),
    finishRun: (run) => finishRun(store, run),
    findRun: (text) => findRun(store, text),
    listRuns: (query) => listRuns(store, query),
    campaignChannels: (campaign) => campaignChannels(store, campaign),
    channels: (run) => channels(store, run),
    takePage: createPages(store),
    claim: createClaim(store),
    record: createRecord(store),
    accountOf: createAccountOf(store),
    maySend: createFence(store),
    registerWorker: (worker) => registerWorker(store, worker),
    workerSeen: (workerId) => workerSeen(store, workerId),
    unsettled: (run) => unsettled(store, run),
    unsettledOnAccount: (account) => unsettledOnAccount(store, account),
    endDeadAttempt: (rowId, attempt) => endDeadAttempt(store, rowId, attempt),
    addLook: (rowId, attempt, look) => addLook(store, rowId, attempt, look),
    settle: (rowId, attempt, decision) => settle(store, rowId, attempt, decision),
    saveBaseline: (run, baseline) => saveBaseline(store, run, baseline),
    baseline: (run, account) => readBaseline(store, run, account),
    owned: (account, ids) => owned(store, account, ids),
    ownerRow: (account, id) => ownerRow(store, account, id),
    visibility: (account) => visibility(store, account),
    noteSeen: (account, ids, at, previousRead) => noteSeen(store, account, ids, at, previousRead),
    inFlight: (run) => inFlight(store, run),
    noteStatus: (rowId, publicationId, status) => noteStatus(store, rowId, publicationId, status),
    recordEnds: (ends) => recordEnds(store, ends),
    setGate: (gate) => setGate(store, gate),
    clearGate: (scope, kind) => clearGate(store, scope, kind),
    gates: (run) => gates(store, run),
    cancel: (input) => cancel(store, input),
    retry: (input) => retry(store, input),
    countRetry: (input) => countRetry(store, input),
    needsPerson: (run, limit) => needsPerson(store, run, limit),
    disputed: (run) => disputedRows(store, run),
    orphans: (campaign) => orphans(store, campaign),
    earlier: createEarlier(store),
    revive: (rowId, found) => revive(store, rowId, found),
    resolve: (input) => resolve(store, input),
    counts: (run) => counts(store, run),
    openRows: async (run) => openRows(store.db, await runIdOf(store.db, run)),
    results: createResults(store),
    columns: (run) => columns(store, run),
  };
}
