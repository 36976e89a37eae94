import { type Kysely, sql } from 'kysely';

interface Sources {
  rows: { id: number; source_hash: string };
  attempts: { row_id: number; outcome: string | null; source_hash: string | null };
}

/** The video that each create sent, so that a refused one is found by it after its row has got another one. */
export async function addSentSource(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('attempts').addColumn('source_hash', 'text').execute();
  const isRefused = sql<boolean>`outcome in ('auth-refused', 'rejected')`;
  await (db as Kysely<Sources>)
    .updateTable('attempts')
    .set((eb) => ({
      source_hash: eb.selectFrom('rows').select('rows.source_hash').whereRef('rows.id', '=', 'attempts.row_id'),
    }))
    .where(isRefused)
    .execute();
  await db.schema
    .createIndex('attempts_refused')
    .on('attempts')
    .columns(['channel_id', 'source_hash'])
    .where(isRefused)
    .execute();
}
