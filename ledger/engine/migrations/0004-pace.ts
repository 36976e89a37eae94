import { type Kysely } from 'kysely';

/** What pace, tolerance and live settings need: a channel's history by time, and tables for settings and observations. */
export async function addPace(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('attempts_channel_time').on('attempts').columns(['channel_id', 'claimed_at']).execute();
  await db.schema.createIndex('attempts_account_time').on('attempts').columns(['account', 'claimed_at']).execute();
  await db.schema
    .alterTable('channels')
    .addColumn('streak', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('runs')
    .addColumn('set_live', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('run_settings')
    .addColumn('run_id', 'integer', (column) => column.notNull().references('runs.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('shown', 'text', (column) => column.notNull())
    .addColumn('layer', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_settings_pk', ['run_id', 'name'])
    .execute();
  await db.schema
    .createTable('canaries')
    .addColumn('run_id', 'integer', (column) => column.notNull().references('runs.id'))
    .addColumn('channel_id', 'integer', (column) => column.notNull().references('channels.id'))
    .addColumn('passed_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('canaries_pk', ['run_id', 'channel_id'])
    .execute();
  await db.schema
    .createTable('parkings')
    .addColumn('scope', 'text', (column) => column.primaryKey())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'integer', (column) => column.references('channels.id'))
    .addColumn('parked_at', 'bigint', (column) => column.notNull())
    .addColumn('connected', 'text')
    .addColumn('probes', 'integer', (column) => column.notNull())
    .addColumn('next_probe_at', 'bigint', (column) => column.notNull())
    .addColumn('opened_at', 'bigint')
    .execute();
  await db.schema
    .createTable('changes')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('run_id', 'integer', (column) => column.references('runs.id'))
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('what', 'text', (column) => column.notNull())
    .execute();
}
