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
import { BUSY_BOUND_MS, type FirstRowOnly, LibsqlConnection, type SqliteOptions } from './sqlite-connection';

/** Everything in the ledger that is specific to SQLite is in this file: pragmas, locks, the driver. */
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

/** One connection to the file; each user has a lease on it. */
class LibsqlDriver implements Driver {
  private connection: LibsqlConnection | undefined;

  constructor(private readonly options: SqliteOptions) {}

  async init(): Promise<void> {
    const database = new Database(this.options.path);
    const { path, busyBoundMs = BUSY_BOUND_MS, readOnly = false } = this.options;
    this.connection = new LibsqlConnection(database, path, busyBoundMs, readOnly);
    await this.connection.configure();
  }

  async acquireConnection(): Promise<Lease> {
    if (!this.connection) throw new Error('the ledger is closed');
    return new Lease(this.connection);
  }

  async releaseConnection(lease: Lease): Promise<void> {
    lease.end();
  }

  async beginTransaction(lease: Lease): Promise<void> {
    await lease.begin();
  }

  async commitTransaction(lease: Lease): Promise<void> {
    await lease.commit();
  }

  async rollbackTransaction(lease: Lease): Promise<void> {
    lease.rollback();
  }

  async savepoint(lease: Lease, name: string): Promise<void> {
    lease.exec(`savepoint ${name}`);
  }

  async rollbackToSavepoint(lease: Lease, name: string): Promise<void> {
    lease.exec(`rollback to ${name}; release ${name}`);
  }

  async releaseSavepoint(lease: Lease, name: string): Promise<void> {
    lease.exec(`release ${name}`);
  }

  async destroy(): Promise<void> {
    await this.connection?.close();
    this.connection = undefined;
  }
}

/**
 * One user's turn with the connection: it lasts as long as a statement or transaction runs, but not while waiting for
 * the disk. Write transactions begin as BEGIN IMMEDIATE: once begun, a transaction can't meet a lock later, so only the
 * beginning is retried.
 */
class Lease implements DatabaseConnection {
  /** Returns the turn; set while a transaction is open. */
  private giveBack: (() => void) | undefined;

  constructor(private readonly connection: LibsqlConnection) {}

  async executeQuery<R>(query: CompiledQuery & FirstRowOnly): Promise<QueryResult<R>> {
    const { connection } = this;
    if (this.giveBack) return connection.run(query);
    const writing = writes(query);
    const giveBack = await connection.turn();
    let result: QueryResult<R>;
    try {
      if (writing) connection.disk.demandWhole();
      result = await connection.whenFree(() => connection.run<R>(query));
    } finally {
      giveBack();
    }
    if (writing) await connection.disk.flush();
    return result;
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the ledger reads in pages; a stream would hold its only connection');
  }

  async begin(): Promise<void> {
    const { connection } = this;
    const giveBack = await connection.turn();
    try {
      connection.disk.demandWhole();
      await connection.whenFree(() => connection.exec('begin immediate'));
    } catch (error) {
      giveBack();
      throw error;
    }
    this.giveBack = giveBack;
  }

  /** Durable when it resolves. */
  async commit(): Promise<void> {
    this.connection.exec('commit');
    this.end();
    await this.connection.disk.flush();
  }

  rollback(): void {
    // A commit that the disk refused returned the turn: the transaction that is open now is another user's.
    if (!this.giveBack) return;
    this.connection.rollback();
    this.end();
  }

  exec(sql: string): void {
    this.connection.exec(sql);
  }

  end(): void {
    this.giveBack?.();
    this.giveBack = undefined;
  }
}

function writes({ sql }: CompiledQuery): boolean {
  return !/^\s*(select|pragma|explain)\b/iu.test(sql);
}
