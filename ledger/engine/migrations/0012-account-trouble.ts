import { type Kysely } from 'kysely';

/** Why an account can't be reached now, as JSON: workers meet the problem, and people read about it in the ledger. */
export async function addAccountTrouble(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('trouble', 'text').execute();
}
