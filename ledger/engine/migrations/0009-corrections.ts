import { type Kysely, sql } from 'kysely';

/** The values of a row that a correcting sheet replaced, and an index of the few rows that have such values. */
export async function addCorrections(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rows').addColumn('replaced_values', 'text').execute();
  await db.schema
    .createIndex('rows_corrected')
    .on('rows')
    .column('campaign')
    .where(sql<boolean>`replaced_values is not null`)
    .execute();
}
