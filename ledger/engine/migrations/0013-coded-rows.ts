import { type Kysely, sql } from 'kysely';

/** An index of the rows with a code, which are few: every report of a run queries some of them. */
export async function indexCodedRows(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('rows_coded')
    .on('rows')
    .columns(['snapshot_id', 'state', 'code'])
    .where(sql<boolean>`code is not null`)
    .execute();
}
