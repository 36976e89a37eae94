import { type Kysely } from 'kysely';

/** Rows that a submission left out because of an error, so that later commands can show them. */
export async function addLeftOut(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('left_out')
    .addColumn('submission_id', 'integer', (column) => column.notNull().references('submissions.id'))
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('key', 'text')
    .addColumn('source_hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('left_out_pk', ['submission_id', 'line'])
    .execute();
}
