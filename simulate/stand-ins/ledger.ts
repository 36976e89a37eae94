import { Kysely } from 'kysely';
import { migrate } from '../../ledger/engine/migrations/migrations';
import { LibsqlDialect } from '../../ledger/engine/sqlite-dialect';
import { type Tables } from '../../ledger/engine/tables';
import { type Ledger } from '../../ledger/ledger';
import { ledgerOn } from '../../ledger/open';
import { wallClock } from '../clock/virtual-time';
import { databases } from './databases';

/** One database in memory for all simulations of this process: emptying it takes a fraction of the time of creating it. */
export interface SharedLedger {
  open: () => Promise<Ledger>;
  /** Leaves the tables as the migrations created them. */
  empty: () => void;
  /** A query of the simulation itself, answered at once. */
  all: <T>(sql: string, ...parameters: unknown[]) => T[];
}

const KEPT_TABLES: ReadonlySet<string> = new Set(['kysely_migration', 'meta', 'sequence']);

export async function openSharedLedger(): Promise<SharedLedger> {
  const opened = new Kysely<Tables>({ dialect: new LibsqlDialect({ path: ':memory:' }) });
  await migrate(opened);
  const database = databases.at(-1);
  if (database === undefined) throw new Error('the database was not opened');
  const emptying = childrenFirst(database)
    .filter((name) => !KEPT_TABLES.has(name))
    .map((name) => `delete from "${name}"`)
    .join(';');
  const statements = new Map<string, ReturnType<typeof database.prepare>>();
  return {
    open: () => ledgerOn(opened, wallClock),
    empty: () => {
      // No pragma: it would make every statement be compiled again.
      database.exec(emptying);
      database.exec("delete from meta where name != 'id'; update meta set value = 'simulated' where name = 'id'");
      database.exec('update sequence set value = 0');
    },
    all: <T>(sql: string, ...parameters: unknown[]) => {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      return statement.all(parameters) as T[];
    },
  };
}

/** Its tables, each before those that it refers to. */
function childrenFirst(database: (typeof databases)[number]): string[] {
  const read = (sql: string) => database.prepare(sql).all([]) as Record<string, string>[];
  const names = read("select name from sqlite_master where type = 'table'").map(({ name = '' }) => name);
  const found: string[] = [];
  const add = (name: string): void => {
    if (found.includes(name)) return;
    for (const { table = '' } of read(`pragma foreign_key_list("${name}")`)) if (table !== name) add(table);
    found.push(name);
  };
  names.forEach(add);
  return found.reverse();
}
