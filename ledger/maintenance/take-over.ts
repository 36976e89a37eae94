import { Kysely, sql } from 'kysely';
import { tableNames } from '../engine/half-made';
import { migrate } from '../engine/migrations/migrations';
import { PostgresDialect } from '../engine/postgres-dialect';
import { SequenceMirror } from '../engine/sequence-file';
import { LibsqlDialect } from '../engine/sqlite-dialect';
import { type Db, type Tx } from '../engine/store';
import { type Tables } from '../engine/tables';
import { LedgerStateError } from '../model/errors';
import { type LedgerLocation, placeOf } from '../model/location';
import { demandDurableDatabase } from './durable-database';
import { MOVED_TO, movedTo } from './moved';

type Table = keyof Tables;
type Database = Extract<LedgerLocation, { url: string }>;

/** How long (ms) to wait for the database. */
const BOUND_MS = 120_000;
/** Maximum number of values per statement: PostgreSQL counts them with 16 bits. */
const VALUES = 60_000;
/** Rows of a table per statement; a snapshot has the text of a whole manifest. */
const PAGE_ROWS = 1_000;
/** Settings of the file and its machine; and row counts, which the database's triggers maintain themselves. */
const NOT_COPIED: readonly string[] = ['kysely_migration', 'kysely_migration_lock', 'sequence', 'row_counts'];
const OF_THE_FILE: readonly string[] = ['host', 'boot', MOVED_TO];

/** A database that a ledger can move to: reachable, durable, with this version's tables, and empty. */
export class EmptyDatabase {
  private constructor(
    private readonly db: Db,
    private readonly location: Database,
  ) {}

  /** @throws LedgerStateError if it holds a ledger that was used */
  static async open(location: Database): Promise<EmptyDatabase> {
    const place = placeOf(location);
    const engine = new PostgresDialect({ url: location.url, location: place, boundMs: BOUND_MS, connections: 1 });
    const db = new Kysely<Tables>({ dialect: engine });
    try {
      await demandDurableDatabase(db);
      await migrate(db);
      await demandEmpty(db, place);
      return new EmptyDatabase(db, location);
    } catch (error) {
      await db.destroy();
      throw error;
    }
  }

  /**
   * Copies everything from a file that was closed for this place (`leaveFor`), in one transaction, and compares the
   * result. Returns the number of rows. Can be repeated until it succeeds.
   * @throws LedgerStateError if the file was not closed, or was closed for another place
   */
  async takeOver(path: string): Promise<{ campaigns: number; rows: number }> {
    const file = new Kysely<Tables>({ dialect: new LibsqlDialect({ path, readOnly: true }) });
    const place = placeOf(this.location);
    try {
      if ((await movedTo(file)) !== place) throw new LedgerStateError(`the ledger ${path} was not left for ${place}`);
      const { value: before } = await file.selectFrom('sequence').select('value').executeTakeFirstOrThrow();
      const sequence = before + 1;
      const { id, ...taken } = await this.db.transaction().execute(async (tx) => {
        await demandEmpty(tx, place);
        return copyAll(file, tx, sequence);
      });
      this.noteNumber(id, sequence);
      return taken;
    } finally {
      await file.destroy();
    }
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }

  private noteNumber(id: string, sequence: number): void {
    const mirror = new SequenceMirror(this.location.sequenceFile, id);
    mirror.note(sequence);
    mirror.close();
  }
}

async function demandEmpty(db: Db, place: string): Promise<void> {
  for (const table of ['campaigns', 'accounts', 'schedules', 'workers', 'firings'] as const) {
    const used = await db
      .selectFrom(table)
      .select(sql`1`.as('one'))
      .limit(1)
      .executeTakeFirst();
    if (used)
      throw new LedgerStateError(`the ledger ${place} was used already; a ledger can only move to an empty database`);
  }
}

async function copyAll(file: Db, tx: Tx, sequence: number): Promise<{ id: string; campaigns: number; rows: number }> {
  const copied = new Map<string, number>();
  await tx.deleteFrom('meta').execute();
  for (const table of await tableNames(file)) {
    if (!NOT_COPIED.includes(table)) copied.set(table, await copyTable(file, tx, table as Table));
  }
  await tx.updateTable('sequence').set({ value: sequence }).execute();
  await continueNumbers(tx);
  for (const [table, count] of copied) {
    const arrived = await countOf(tx, table as Table);
    if (arrived !== count) throw new LedgerStateError(`${String(arrived)} of ${String(count)} ${table} arrived`);
  }
  const { value: id } = await tx.selectFrom('meta').select('value').where('name', '=', 'id').executeTakeFirstOrThrow();
  return { id, campaigns: copied.get('campaigns') ?? 0, rows: copied.get('rows') ?? 0 };
}

async function copyTable(file: Db, tx: Tx, table: Table): Promise<number> {
  let copied = 0;
  for (let after = 0; ;) {
    const page = sql<Record<string, unknown> & { position_in_file: number }>`
      select rowid as position_in_file, * from ${sql.table(table)} where rowid > ${after} order by rowid limit ${table === 'snapshots' ? 1 : PAGE_ROWS}`;
    const { rows } = await page.execute(file);
    if (rows.length === 0) return copied;
    const values = rows
      .map(({ position_in_file, ...row }) => {
        after = position_in_file;
        return row;
      })
      .filter((row) => table !== 'meta' || !OF_THE_FILE.includes(String(row['name'])));
    copied += values.length;
    await insert(tx, table, values);
  }
}

async function insert(tx: Tx, table: Table, rows: readonly Record<string, unknown>[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const size = Math.floor(VALUES / Object.keys(first).length);
  for (let at = 0; at < rows.length; at += size) {
    await tx
      .insertInto(table)
      .values(rows.slice(at, at + size))
      .execute();
  }
}

/** The numbers that the database assigns continue after the copied ones. */
async function continueNumbers(tx: Tx): Promise<void> {
  const found = await sql<{
    table: string;
    column: string;
  }>`select table_name::text as table, column_name::text as column
    from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`.execute(tx);
  for (const { table, column } of found.rows)
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), max(${sql.id(column)})) from ${sql.table(table)}
      having max(${sql.id(column)}) is not null`.execute(tx);
}

async function countOf(db: Db, table: Table): Promise<number> {
  const { n } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}
