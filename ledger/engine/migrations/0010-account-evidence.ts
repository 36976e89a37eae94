import { type Kysely, sql } from 'kysely';

/**
 * The evidence about lost creates: how an account shows and lists what was sent, the order in which creates were
 * claimed and publications recorded, and which refused creates are looked for before their row is sent again.
 */
export async function addAccountEvidence(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('habits', 'text').execute();
  await db.schema.alterTable('attempts').addColumn('sequence', 'bigint').execute();
  await db.schema.alterTable('attempts').addColumn('entry_snapshot', 'integer').execute();
  await db.schema.alterTable('attempts').addColumn('entry_position', 'integer').execute();
  await db.schema
    .alterTable('attempts')
    .addColumn('refused', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('publications').addColumn('claimed_sequence', 'bigint').execute();
  await db.schema.alterTable('publications').addColumn('noted_sequence', 'bigint').execute();
  await db.schema
    .alterTable('looks')
    .addColumn('current', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('looks')
    .addColumn('settled', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('looks').addColumn('served_at', 'bigint').execute();
  await db.schema.createIndex('publications_noted').on('publications').columns(['account', 'noted_sequence']).execute();
  await db.schema
    .createIndex('attempts_answered')
    .on('attempts')
    .columns(['account', 'ended_at'])
    .where(sql<boolean>`outcome in ('access', 'rejected') or settled_as = 'give-up'`)
    .execute();
}
