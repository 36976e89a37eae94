import { type Kysely } from 'kysely';

/** What the rows of a run were when it ended. */
export async function addRunCounts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('ended_counts', 'text').execute();
}
