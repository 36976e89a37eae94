import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'libsql';
import { type CompiledQuery, type QueryResult } from 'kysely';
import { isDamage } from '../model/damage';
import { LedgerBusyError } from '../model/errors';
import { WalSync } from './wal-sync';

/** How long (ms) a write waits for other processes before it gives up. */
export const BUSY_BOUND_MS = 120_000;
/** How long (ms) the driver itself waits and blocks the event loop; beyond that, a timer waits. */
const BLOCKING_WAIT_MS = 15;
/** Number of cached prepared statements. Batches don't vary their texts, so all of them fit. */
const STATEMENTS_KEPT = 400;

export interface SqliteOptions {
  path: string;
  /** Default 120,000 ms. */
  busyBoundMs?: number;
  /** Read-only. The file must exist. */
  readOnly?: boolean;
}

/** A query may declare that only its first row is wanted, which costs the driver half as much as reading all rows. */
export interface FirstRowOnly {
  readonly firstRowOnly?: true;
}

interface Statement {
  text: Database.Statement<[readonly unknown[]]>;
  /** Names of its result columns; empty: it returns nothing. */
  columns: readonly string[];
}

export class LibsqlConnection {
  // A failed statement that isn't cached stays "in progress" until it is garbage-collected, and until then no commit
  // succeeds. So statements are cached, and begin and commit use exec.
  private readonly statements = new Map<string, Statement>();
  readonly disk: WalSync;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database.Database,
    private readonly path: string,
    private readonly busyBoundMs: number,
    private readonly readOnly: boolean,
  ) {
    this.disk = new WalSync(path);
  }

  /** Our own sync of the write-ahead log makes commits durable, not SQLite's. */
  async configure(): Promise<void> {
    const writing = ['journal_mode = wal', 'synchronous = normal', 'foreign_keys = on', 'wal_autocheckpoint = 2000'];
    for (const pragma of [`busy_timeout = ${BLOCKING_WAIT_MS}`, ...(this.readOnly ? ['query_only = on'] : writing)]) {
      await this.whenFree(() => this.database.prepare(`pragma ${pragma}`).all([]));
    }
    if (this.path !== ':memory:') this.disk.noteFile();
  }

  /** Users take turns in the order of their requests. Returns a function that ends the turn. */
  async turn(): Promise<() => void> {
    const before = this.last;
    let giveBack: () => void = () => undefined;
    this.last = new Promise<void>((resolve) => {
      giveBack = resolve;
    });
    await before;
    return giveBack;
  }

  run<R>(query: CompiledQuery & FirstRowOnly): QueryResult<R> {
    return this.noticingDamage(() => this.runOne(query));
  }

  private runOne<R>(query: CompiledQuery & FirstRowOnly): QueryResult<R> {
    const key = query.firstRowOnly ? `first of ${query.sql}` : query.sql;
    const statement = this.statement(key, query.sql);
    try {
      return runStatement(statement, query);
    } catch (error) {
      this.statements.delete(key);
      throw error;
    }
  }

  exec(sql: string): void {
    this.noticingDamage(() => this.database.exec(sql));
  }

  /** In a damaged file no page can be trusted: once damage was found, nothing more is written, and so nothing sent. */
  private noticingDamage<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (isDamage(error)) this.disk.fail(error as Error);
      throw error;
    }
  }

  rollback(): void {
    try {
      this.database.exec('rollback');
    } catch (error) {
      // Some failures (such as a full disk) have already rolled back.
      if (this.database.inTransaction) throw error;
    }
  }

  /**
   * The driver can't finalize its statements, so SQLite doesn't notice that the last connection closes, and leaves the
   * log. Its content is checkpointed into the database here, unless other processes use it.
   */
  async close(): Promise<void> {
    if (!this.readOnly) this.checkpoint();
    this.statements.clear();
    this.database.close();
    await this.disk.close();
  }

  private checkpoint(): void {
    if (!this.disk.mayCheckpoint) return;
    try {
      this.database.prepare('pragma wal_checkpoint(truncate)').all([]);
    } catch {
      // Nothing is lost: the next process that opens the database reads the log.
    }
  }

  /**
   * The driver's `get` reuses the parameters of the previous call unless that was a successful `get`. So a query has
   * one statement for its first row and another for all rows, and a statement that failed is not used again.
   */
  private statement(key: string, sql: string): Statement {
    const kept = this.statements.get(key);
    if (kept) return kept;
    const text = this.database.prepare<[readonly unknown[]]>(sql);
    // Objects built by the driver take twice as long as arrays.
    const statement: Statement = { text, columns: text.reader ? columnsOf(text.raw()) : [] };
    const oldest = this.statements.keys().next();
    if (this.statements.size >= STATEMENTS_KEPT && !oldest.done) this.statements.delete(oldest.value);
    this.statements.set(key, statement);
    return statement;
  }

  /** Retries after another process's lock, with growing, jittered pauses, so that no writer starves. */
  async whenFree<T>(action: () => T): Promise<T> {
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

function runStatement<R>(statement: Statement, query: CompiledQuery & FirstRowOnly): QueryResult<R> {
  const { text } = statement;
  if (statement.columns.length > 0) {
    const found = query.firstRowOnly ? first(text.get(query.parameters)) : text.all(query.parameters);
    return { rows: named(statement, found as unknown[][]) as R[] };
  }
  const { changes } = text.run(query.parameters);
  return { rows: [], numAffectedRows: BigInt(changes) };
}

function first<T>(found: T | undefined): T[] {
  return found === undefined ? [] : [found];
}

function columnsOf(text: Statement['text']): string[] {
  return text.columns().map(({ name }) => name);
}

function named(statement: Statement, rows: readonly (readonly unknown[])[]): Record<string, unknown>[] {
  // The table got a new column after the statement was prepared.
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
