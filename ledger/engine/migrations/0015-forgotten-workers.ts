import { type Kysely } from 'kysely';

/** Workers of other hosts that a person removed, which confirms that their processes are gone. */
export async function addForgottenWorkers(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('workers').addColumn('forgotten_at', 'bigint').execute();
  await db.schema.alterTable('workers').addColumn('forgotten_by', 'text').execute();
}
