import { type Kysely } from 'kysely';
import { identityColumn } from './identity-column';

/** What a person decided about a row. */
export async function createDecisions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('decisions')
    .addColumn('id', 'integer', identityColumn)
    .addColumn('row_id', 'integer', (column) => column.notNull().references('rows.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('publication_id', 'text')
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('decisions_row').on('decisions').column('row_id').execute();
}
