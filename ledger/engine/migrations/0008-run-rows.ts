import { type Kysely } from 'kysely';

/** Rows of a run that belong to other manifests: those below and above its own. */
export async function indexRunRows(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('rows_run_snapshot').on('rows').columns(['run_id', 'snapshot_id']).execute();
}
