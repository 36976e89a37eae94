import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
  type Transaction,
} from 'kysely';
import { type FirstRowOnly } from './sqlite-connection';
import { type Tables } from './tables';

/** Maximum number of rows per transaction: the driver is synchronous, and heartbeats must continue between pages. */
export const PAGE_ROWS = 500;

export type Tx = Transaction<Tables>;
/** Something to read from: a transaction, or the database outside of one. */
export type Db = Kysely<Tables>;

/** The database, and what every part of the ledger needs of it. */
export interface Store {
  readonly db: Db;
  /** ms since the epoch. */
  readonly now: () => number;
  /** One short write. When it resolves, all of it is durable, or none of it exists. Writes run one after another. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Called after a commit that raised the sequence number. */
  onRaised(listener: (sequence: number) => void): void;
}

/** Yields to timers and sockets between two pages. */
export async function yieldToEventLoop(): Promise<void> {
  await nextTurn();
}

class Slot {
  constructor(readonly name: string) {}
}

/**
 * For the hot path: a query that is built and compiled once per open database and then only executed. `build` gets a
 * placeholder for each parameter: `p.rowId`.
 */
export function prepared<P extends object, R>(
  build: (db: Db, p: P) => Compilable<R>,
): (on: Db, values: P) => Promise<R[]> {
  const execute = compiledOnce(build);
  return async (on, values) => (await execute(on, values)).rows;
}

/** The same, if only the first row is wanted. */
export function preparedFirst<P extends object, R>(
  build: (db: Db, p: P) => Compilable<R>,
): (on: Db, values: P) => Promise<R | undefined> {
  const execute = compiledOnce(build, { firstRowOnly: true });
  return async (on, values) => (await execute(on, values)).rows[0];
}

/** The same for an update or delete. Returns how many rows it changed, which is cheaper than returning them. */
export function preparedChange<P extends object>(
  build: (db: Db, p: P) => Compilable,
): (on: Db, values: P) => Promise<number> {
  const execute = compiledOnce(build);
  return async (on, values) => Number((await execute(on, values)).numAffectedRows ?? 0);
}

function compiledOnce<P extends object, R>(
  build: (db: Db, p: P) => Compilable<R>,
  wanted: FirstRowOnly = {},
): (on: Db, values: P) => Promise<QueryResult<R>> {
  const compiledFor = new WeakMap<object, CompiledQuery<R>>();
  return (on, values) => {
    const { adapter } = on.getExecutor();
    let compiled = compiledFor.get(adapter);
    if (!compiled) {
      compiled = build(on, PLACEHOLDERS as P).compile();
      compiledFor.set(adapter, compiled);
    }
    const { sql, query, queryId } = compiled;
    const parameters = compiled.parameters.map((value) =>
      value instanceof Slot ? (values as Record<string, unknown>)[value.name] : value,
    );
    return (connections.get(on) ?? on).executeQuery<R>({
      sql,
      query,
      queryId,
      parameters,
      ...wanted,
    });
  };
}

const connections = new WeakMap<Db, DatabaseConnection>();

/**
 * Runs `work` with direct access to the transaction's connection, for prepared queries too: going through Kysely takes
 * longer than most of them do. Afterwards only Kysely has the transaction again, which refuses calls after its end.
 */
export async function withConnection<T>(tx: Tx, work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
  const connection = await tx.getExecutor().provideConnection(async (its) => its);
  connections.set(tx, connection);
  try {
    return await work(connection);
  } finally {
    connections.delete(tx);
  }
}

/** Has a slot for every name. */
const PLACEHOLDERS: object = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/** ISO text of a time in ms, and null of null. */
export function iso(ms: number): string;
export function iso(ms: number | null): string | null;
export function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
