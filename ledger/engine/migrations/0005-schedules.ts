import { type Kysely } from 'kysely';

/** The tables of recurring batches: firings and their outcomes. */
export async function createSchedules(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('made_at', 'bigint', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('paused_at', 'bigint')
    .addColumn('resumed_at', 'bigint')
    .addColumn('watched_to', 'bigint')
    .addColumn('deleted_at', 'bigint')
    .execute();
  await db.schema
    .createTable('firings')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('schedule', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('nominal_at', 'bigint', (column) => column.notNull())
    .addColumn('workflow_id', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('code', 'text')
    .addColumn('reason', 'text')
    .addColumn('submission_id', 'integer')
    .addColumn('campaign', 'text')
    .addColumn('run_number', 'integer')
    .addColumn('manifest_hash', 'text')
    .addColumn('manifest_text', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addUniqueConstraint('firings_unique_1', ['schedule', 'key'])
    .execute();
  await db.schema.createIndex('firings_time').on('firings').columns(['schedule', 'nominal_at']).execute();
  await db.schema.createIndex('firings_workflow').on('firings').columns(['workflow_id']).execute();
  await db.schema
    .createTable('backfills')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('schedule', 'text', (column) => column.notNull())
    .addColumn('from_at', 'bigint', (column) => column.notNull())
    .addColumn('to_at', 'bigint', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
}
