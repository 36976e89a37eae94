import { type Kysely } from 'kysely';

/** What keeps an account from being reached now, JSON: people look into the ledger, and workers meet it. */
export async function addAccountTrouble(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('trouble', 'text').execute();
}
