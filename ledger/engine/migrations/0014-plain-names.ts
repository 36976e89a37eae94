import { type Kysely, sql } from 'kysely';

interface Attempts {
  attempts: { outcome: string | null };
}

/** Renames outcomes and the table of list scans to the names that the code and the documentation use. */
export async function usePlainNames(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('attempts_unsettled').execute();
  await db.schema.dropIndex('attempts_answered').execute();
  const renamed = { perhaps: 'unknown', access: 'auth-refused' };
  for (const [before, outcome] of Object.entries(renamed)) {
    await (db as Kysely<Attempts>).updateTable('attempts').set({ outcome }).where('outcome', '=', before).execute();
  }
  await db.schema
    .createIndex('attempts_unsettled')
    .on('attempts')
    .column('account')
    .where(sql<boolean>`outcome = 'unknown' and coalesce(settled_as, 'unconfirmed') = 'unconfirmed'`)
    .execute();
  await db.schema
    .createIndex('attempts_answered')
    .on('attempts')
    .columns(['account', 'ended_at'])
    .where(sql<boolean>`outcome in ('auth-refused', 'rejected') or settled_as = 'give-up'`)
    .execute();
  await db.schema.alterTable('looks').renameTo('list_scans').execute();
}
