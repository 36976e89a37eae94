import { type Kysely } from 'kysely';

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
  await db.schema.createIndex('strays_title').on('strays').columns(['account', 'title']).execute();
}
