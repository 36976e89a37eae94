import { type Kysely } from 'kysely';

/**
 * When publications without a row were found by a reconciliation: rows are compared with those before they are sent.
 * Earlier versions recorded others too, found before a person resumed the account, and compared titles only.
 */
export async function addReconciledAt(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('strays').addColumn('reconciled_at', 'bigint').execute();
  const strays = db as Kysely<{ strays: { title: string | null; reconciled_at: number | null } }>;
  await strays.updateTable('strays').set({ reconciled_at: 0 }).where('title', 'is not', null).execute();
}
