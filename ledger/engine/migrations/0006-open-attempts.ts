import { type Kysely, sql } from 'kysely';

/**
 * Open attempts by channel and by account. Both columns of the query are in the index: otherwise the planner would
 * choose the index of all attempts by time, and read an account's whole history with every claim.
 */
export async function indexOpenAttempts(db: Kysely<unknown>): Promise<void> {
  for (const column of ['channel_id', 'account']) {
    await db.schema
      .createIndex(`attempts_open_${column}`)
      .on('attempts')
      .columns([column, 'ended_at'])
      .where(sql<boolean>`ended_at is null`)
      .execute();
  }
  for (const name of ['attempts_index_9', 'attempts_index_10']) await db.schema.dropIndex(name).execute();
}
