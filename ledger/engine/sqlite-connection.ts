import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { type CompiledQuery, type QueryResult } from 'kysely';
import { isDamage } from '../model/damage';
import { LedgerBusyError } from '../model/errors';
import { WalSync } from './wal-sync';

/** How long (ms) a write waits for other processes before it gives up. */
export const BUSY_BOUND_MS = 120_000;
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

/** What a query may say of itself: its first row is all that is wanted, which costs the driver half of asking for all. */
export interface FirstRowOnly {
  readonly firstRowOnly?: true;
}

interface Statement {
  text: Database.Statement<[readonly unknown[]]>;
  /** Names of what it gives; none: it gives nothing. */
  columns: readonly string[];
}

export class LibsqlConnection {
  // A statement that failed and isn't kept stays "in progress" until it is collected, and then no commit goes
  // through; so statements are kept, and begin and commit go through exec.
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

  /** Commits are durable by our own sync of the write-ahead log, not by SQLite's. */
  async configure(): Promise<void> {
    const writing = ['journal_mode = wal', 'synchronous = normal', 'foreign_keys = on', 'wal_autocheckpoint = 2000'];
    for (const pragma of [`busy_timeout = ${BLOCKING_WAIT_MS}`, ...(this.readOnly ? ['query_only = on'] : writing)]) {
      await this.whenFree(() => this.database.prepare(`pragma ${pragma}`).all([]));
    }
    if (this.path !== ':memory:') this.disk.noteFile();
  }

  /** Users have it one after the other, in the order they asked; gives what gives it back. */
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

  /** In a damaged file no page can be relied on: where one was found, nothing more is written, and so nothing sent. */
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
      // Some failures (a full disk) have rolled back already.
      if (this.database.inTransaction) throw error;
    }
  }

  /**
   * The driver can't end its statements, so that SQLite doesn't see the last connection go and leaves the log; what is in it
   * is brought into the database here, unless others use it.
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
      // Nothing is lost: whoever opens the database next reads the log.
    }
  }

  /**
   * The driver's `get` takes the parameters of the call before, unless that was a `get` which ended well: so a query has one
   * statement for its first row and another for all rows, and one that failed is not used again.
   */
  private statement(key: string, sql: string): Statement {
    const kept = this.statements.get(key);
    if (kept) return kept;
    const text = this.database.prepare<[readonly unknown[]]>(sql);
    // Objects made by the driver take twice the time of lists.
    const statement: Statement = { text, columns: text.reader ? columnsOf(text.raw()) : [] };
    const oldest = this.statements.keys().next();
    if (this.statements.size >= STATEMENTS_KEPT && !oldest.done) this.statements.delete(oldest.value);
    this.statements.set(key, statement);
    return statement;
  }

  /** Repeats what met another process's lock, with growing and jittered pauses, so that no writer starves. */
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
