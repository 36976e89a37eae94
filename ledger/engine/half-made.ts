import { type Kysely, sql } from 'kysely';
import { isPostgres } from './postgres-dialect';

/**
 * Earlier versions created their tables statement by statement, so a kill during the first start left some of them, and
 * a ledger that could never be opened again. Nothing can have been sent from such a ledger: its tables are dropped and
 * created again. It is recognised by the migration lock of those versions, without a campaign or a machine recorded
 * yet.
 */
export async function dropHalfMade(db: Kysely<unknown>): Promise<void> {
  const tables = await tableNames(db);
  if (!tables.includes('kysely_migration_lock') || !tables.includes('meta')) return;
  const filled = await sql`select 1 from meta where name = 'host'`.execute(db);
  const campaigns = tables.includes('campaigns') ? (await sql`select 1 from campaigns limit 1`.execute(db)).rows : [];
  if (filled.rows.length > 0 || campaigns.length > 0) return;
  // Tables that refer to others first, because they were created after them.
  for (const name of tables.reverse()) await db.schema.dropTable(name).execute();
}

/** In the order in which they were created, in SQLite. */
export async function tableNames<T>(db: Pick<Kysely<T>, 'getExecutor'>): Promise<string[]> {
  const found = await sql<{ name: string }>`${sql.raw(isPostgres(db) ? POSTGRES_TABLES : SQLITE_TABLES)}`.execute(db);
  return found.rows.map(({ name }) => name);
}

const SQLITE_TABLES = `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'`;
const POSTGRES_TABLES =
  'select table_name::text as name from information_schema.tables where table_schema = current_schema()';
