import { type Kysely } from 'kysely';

/** A run's rows by state at the time it ended. */
export async function addRunCounts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('ended_counts', 'text').execute();
}
