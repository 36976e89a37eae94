import { type Kysely } from 'kysely';

/** Workers of other hosts that a person gave up: their processes are gone for certain. */
export async function addForgottenWorkers(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('workers').addColumn('forgotten_at', 'bigint').execute();
  await db.schema.alterTable('workers').addColumn('forgotten_by', 'text').execute();
}
