import { type Kysely } from 'kysely';
import { isPostgres } from '../postgres-dialect';

/** The ledger's sequence number, and publications that no row owns. */
export async function createSafety(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sequence')
    .addColumn('value', 'bigint', (column) => column.notNull())
    .execute();
  await (db as Kysely<{ sequence: { value: number } }>).insertInto('sequence').values({ value: 0 }).execute();
  await db.schema
    .createTable('strays')
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('publication_id', 'text', (column) => column.notNull())
    .addColumn('platform', 'text')
    .addColumn('profile_id', 'text')
    .addColumn('title', 'text')
    .addPrimaryKeyConstraint('strays_pk', ['account', 'publication_id'])
    .execute();
  // PostgreSQL's indexes can't hold titles of any length.
  const columns = isPostgres(db) ? ['account'] : ['account', 'title'];
  await db.schema.createIndex('strays_title').on('strays').columns(columns).execute();
}
