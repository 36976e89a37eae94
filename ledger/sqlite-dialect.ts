import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { LedgerBusyError } from './errors';
import { WalSync } from './wal-sync';

/** How long (ms) a write waits for other processes before it gives up. */
const BUSY_BOUND_MS = 120_000;
/** How long (ms) the driver itself waits, blocking the event loop; beyond it, the wait is a timer's. */
const BLOCKING_WAIT_MS = 15;
/** Statements kept prepared. Batches don't vary their texts, so this holds all of them. */
const STATEMENTS_KEPT = 400;

export interface SqliteOptions {
  path: string;
  /** Default 120,000 ms. */
  busyBoundMs?: number;
  /** Nothing can be written by it. The file has to be there. */
  readOnly?: boolean;
}

/** Everything of the ledger that only SQLite has is in this file: pragmas, locks, the driver. */
export class LibsqlDialect implements Dialect {
  constructor(private readonly options: SqliteOptions) {}

  createDriver(): Driver {
    return new LibsqlDriver(this.options);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new SqliteAdapter();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

/**
 * One connection, handed to one user at a time. Write transactions begin as BEGIN IMMEDIATE: whoever has begun can't
 * meet a lock later, so only the beginning is repeated.
 */
class LibsqlDriver implements Driver {
  private connection: LibsqlConnection | undefined;
  private tail: Promise<void> = Promise.resolve();
  private readonly releases: (() => void)[] = [];

  constructor(private readonly options: SqliteOptions) {}

  async init(): Promise<void> {
    const database = new Database(this.options.path);
    this.connection = new LibsqlConnection(database, this.options.path, this.options.busyBoundMs ?? BUSY_BOUND_MS);
    await this.connection.configure(this.options.readOnly ?? false);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.tail;
    this.tail = new Promise((resolve) => {
      this.releases.push(resolve);
    });
    await before;
    if (!this.connection) throw new Error('the ledger is closed');
    return this.connection;
  }

  async releaseConnection(): Promise<void> {
    this.releases.shift()?.();
  }

  // There is only the one connection, so these needn't look at which they are given.
  async beginTransaction(): Promise<void> {
    await this.connection?.begin();
  }

  async commitTransaction(): Promise<void> {
    await this.connection?.commit();
  }

  async rollbackTransaction(): Promise<void> {
    this.connection?.rollback();
  }

  async savepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.connection?.exec(`savepoint ${name}`);
  }

  async rollbackToSavepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.connection?.exec(`rollback to ${name}; release ${name}`);
  }

  async releaseSavepoint(_: DatabaseConnection, name: string): Promise<void> {
    this.connection?.exec(`release ${name}`);
  }

  async destroy(): Promise<void> {
    await this.connection?.close();
    this.connection = undefined;
  }
}

/** What a query may say of itself: its first row is all that is wanted, which costs the driver half of asking for all. */
export interface FirstRowOnly {
  readonly firstRowOnly?: true;
}

interface Statement {
  text: Database.Statement<[readonly unknown[]]>;
  /** Names of what it gives; none: it gives nothing. */
  columns: readonly string[];
  writes: boolean;
}

const READS = /^\s*(select|pragma|explain)\b/iu;

class LibsqlConnection implements DatabaseConnection {
  // A statement that failed and isn't kept stays "in progress" until it is collected, and then no commit goes
  // through; so statements are kept, and begin and commit go through exec.
  private readonly statements = new Map<string, Statement>();
  private inTransaction = false;
  private readonly disk: WalSync;

  constructor(
    private readonly database: Database.Database,
    private readonly path: string,
    private readonly busyBoundMs: number,
  ) {
    this.disk = new WalSync(path);
  }

  /** Commits are durable by our own sync of the write-ahead log, not by SQLite's. */
  async configure(readOnly: boolean): Promise<void> {
    const writing = ['journal_mode = wal', 'synchronous = normal', 'foreign_keys = on', 'wal_autocheckpoint = 2000'];
    for (const pragma of [`busy_timeout = ${BLOCKING_WAIT_MS}`, ...(readOnly ? ['query_only = on'] : writing)]) {
      await this.whenFree(() => this.database.prepare(`pragma ${pragma}`).all([]));
    }
  }

  async begin(): Promise<void> {
    this.disk.demandWhole();
    await this.whenFree(() => this.database.exec('begin immediate'));
    this.inTransaction = true;
  }

  exec(sql: string): void {
    this.database.exec(sql);
  }

  /** Durable when it resolves. */
  async commit(): Promise<void> {
    this.database.exec('commit');
    this.inTransaction = false;
    await this.disk.flush();
  }

  rollback(): void {
    this.inTransaction = false;
    try {
      this.database.exec('rollback');
    } catch (error) {
      // Some failures (a full disk) have rolled back already.
      if (this.database.inTransaction) throw error;
    }
  }

  async executeQuery<R>(query: CompiledQuery & FirstRowOnly): Promise<QueryResult<R>> {
    const run = (): QueryResult<R> => {
      const statement = this.statement(query.sql);
      const { text } = statement;
      if (statement.writes) this.disk.demandWhole();
      if (statement.columns.length > 0) {
        const found = query.firstRowOnly ? first(text.get(query.parameters)) : text.all(query.parameters);
        return { rows: named(statement, found as unknown[][]) as R[] };
      }
      const { changes } = text.run(query.parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    };
    if (this.inTransaction) return run();
    const result = await this.whenFree(run);
    if (this.statement(query.sql).writes) await this.disk.flush();
    return result;
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the ledger reads in pages; a stream would hold its only connection');
  }

  async close(): Promise<void> {
    this.statements.clear();
    this.database.close();
    await this.disk.close();
  }

  private statement(sql: string): Statement {
    const kept = this.statements.get(sql);
    if (kept) return kept;
    const text = this.database.prepare<[readonly unknown[]]>(sql);
    // Objects made by the driver take twice the time of lists.
    const statement: Statement = {
      text,
      columns: text.reader ? columnsOf(text.raw()) : [],
      writes: !READS.test(sql),
    };
    const oldest = this.statements.keys().next();
    if (this.statements.size >= STATEMENTS_KEPT && !oldest.done) this.statements.delete(oldest.value);
    this.statements.set(sql, statement);
    return statement;
  }

  /** Repeats what met another process's lock, with growing and jittered pauses, so that no writer starves. */
  private async whenFree<T>(action: () => T): Promise<T> {
    const started = Date.now();
    for (let round = 0; ; round++) {
      try {
        return action();
      } catch (error) {
        const waited = Date.now() - started;
        if (!isBusy(error)) throw error;
        if (waited > this.busyBoundMs) throw new LedgerBusyError(this.path, waited, { cause: error });
        await sleep(randomInt(1, 8 * Math.min(2 + round, 16)));
      }
    }
  }
}

function first<T>(found: T | undefined): T[] {
  return found === undefined ? [] : [found];
}

function columnsOf(text: Statement['text']): string[] {
  return text.columns().map(({ name }) => name);
}

function named(statement: Statement, rows: readonly (readonly unknown[])[]): Record<string, unknown>[] {
  // A table that was given a column since the statement was prepared.
  if (rows[0] !== undefined && rows[0].length !== statement.columns.length)
    statement.columns = columnsOf(statement.text);
  const { columns } = statement;
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at += 1) row[columns[at] as string] = values[at];
    return row;
  });
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}
