import { setTimeout as sleep } from 'node:timers/promises';
import { type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import { type Pool, type PoolClient } from 'pg';
import { LedgerBusyError, LedgerUnreachableError } from '../model/errors';
import { toColumn } from './postgres-text';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with libpq's options after `?` (`sslmode`, `application_name`). */
  url: string;
  /** For people: without user and password. */
  location: string;
  /** How long (ms) a statement waits until the database can be reached, and a write for other writers. */
  boundMs: number;
  /** Maximum number of connections: one writes, the others read. */
  connections: number;
  /**
   * A process that is idle for this long (ms) inside a write has frozen: the server rolls the write back. Default
   * 20,000.
   */
  frozenMs?: number;
}

const FROZEN_MS = 20_000;
/** The advisory lock of all ledgers in a database. */
const WRITERS = 0x7265656c;

interface Transaction {
  client: PoolClient;
  /** The transaction's id in the database, by which its status can be queried later. */
  id: string;
  /** Why its connection was given up; undefined while it works. */
  lost?: Error;
}

/**
 * One user's view of the database. A single statement uses any connection, and is repeated if the connection breaks. A
 * transaction holds a connection and the lock of all writers: writers run one after another, across all processes and
 * hosts, as they do in SQLite. So each reads what the one before it wrote, and every rule that a write checks still
 * holds when it commits.
 */
export class Session implements DatabaseConnection {
  private open: Transaction | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly options: PostgresOptions,
  ) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.open) return this.within(this.open, query);
    return this.whenReachable((client) => run<R>(client, query));
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the ledger reads in pages');
  }

  async begin(): Promise<void> {
    this.open = await this.whenReachable(async (client) => {
      try {
        const results = await client.query(
          `begin; set local synchronous_commit = on; set local lock_timeout = ${this.options.boundMs};` +
            `set local idle_in_transaction_session_timeout = ${this.options.frozenMs ?? FROZEN_MS};` +
            `select pg_advisory_xact_lock(${WRITERS}); select pg_current_xact_id()::text as id`,
        );
        const last = (results as unknown as { rows: { id: string }[] }[]).at(-1);
        return { client, id: last?.rows[0]?.id ?? '' };
      } catch (error) {
        if (codeOf(error) !== LOCK_TIMEOUT) throw error;
        await client.query('rollback');
        throw new LedgerBusyError(this.options.location, this.options.boundMs, { cause: error });
      }
    }, true);
  }

  /**
   * Durable when it resolves. If the answer is lost with the connection, the database is asked whether the transaction
   * was committed.
   */
  async commit(): Promise<void> {
    const { open } = this;
    if (!open) throw new Error('no transaction is open');
    this.open = undefined;
    if (open.lost) throw open.lost;
    try {
      const { command } = await open.client.query('commit');
      open.client.release();
      if (command === 'ROLLBACK') throw new Error('a statement of the transaction had failed, so it was rolled back');
    } catch (error) {
      if (!isLost(error)) throw error;
      open.client.release(true);
      if (!(await this.wasCommitted(open.id))) throw error;
    }
  }

  async rollback(): Promise<void> {
    const { open } = this;
    this.open = undefined;
    if (!open || open.lost) return;
    try {
      await open.client.query('rollback');
      open.client.release();
    } catch {
      // The server rolls back what a connection leaves open.
      open.client.release(true);
    }
  }

  private async within<R>(open: Transaction, query: CompiledQuery): Promise<QueryResult<R>> {
    if (open.lost) throw open.lost;
    try {
      return await run<R>(open.client, query);
    } catch (error) {
      if (isLost(error)) {
        open.lost = unreachable(this.options, error);
        open.client.release(true);
        throw open.lost;
      }
      throw error;
    }
  }

  private async wasCommitted(id: string): Promise<boolean> {
    for (;;) {
      const status = await this.whenReachable(async (client) => {
        const { rows } = await client.query<{ status: string | null }>('select pg_xact_status($1::xid8) as status', [
          id,
        ]);
        return rows[0]?.status;
      });
      if (status !== 'in progress') return status === 'committed';
      await sleep(200);
    }
  }

  /**
   * Repeats what failed because of a lost connection or an unreachable server. With `keep`, a successful call keeps the
   * connection.
   */
  private async whenReachable<T>(action: (client: PoolClient) => Promise<T>, keep = false): Promise<T> {
    const started = performance.now();
    for (let round = 0; ; round++) {
      let client: PoolClient | undefined;
      try {
        client = await this.pool.connect();
        const result = await action(client);
        if (!keep) client.release();
        return result;
      } catch (error) {
        const lost = isLost(error);
        client?.release(lost);
        if (!lost) throw error;
        if (performance.now() - started > this.options.boundMs) throw unreachable(this.options, error);
        await sleep(Math.min(2_000, 50 * 2 ** round) * (0.5 + Math.random() / 2));
      }
    }
  }
}

const LOCK_TIMEOUT = '55P03';

async function run<R>(client: PoolClient, { sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
  const { command, rowCount, rows } = await client.query(sql, parameters.map(toColumn));
  const changing = command !== 'SELECT' && rowCount !== null;
  return { rows: rows as R[], ...(changing && { numAffectedRows: BigInt(rowCount) }) };
}

function unreachable(options: PostgresOptions, cause: unknown): LedgerUnreachableError {
  return new LedgerUnreachableError(options.location, { cause });
}

/** Connection exceptions, a server that stops or starts, one that is a standby, or one without free connections. */
const LOST =
  /^(08...|57P0[123]|25P03|25006|53300|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONN[A-Z]+|EAI_AGAIN|ENOTFOUND)$/;

function isLost(error: unknown): boolean {
  if (error instanceof LedgerUnreachableError) return true;
  const code = codeOf(error);
  if (code !== undefined) return LOST.test(code);
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error instanceof Error ? error.message : '',
  );
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
