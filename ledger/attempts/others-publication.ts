import { sql } from 'kysely';
import { shortMessage } from '../model/labels';
import { isPostgres } from '../engine/postgres-dialect';
import { moveRow, patchRow, readRow } from '../rows/rows';
import { preparedFirst, type Tx } from '../engine/store';
import { endAttempt, readAttempt, type Recorded, type Recording } from './attempt-records';

/** The code of a create that was answered with the id of another row's publication. */
export const OTHERS_ID = 'others-publication';

const olderOnes = preparedFirst<{ runId: number; account: string; publicationId: string }, { run_id: number }>(
  (db, p) =>
    db
      .selectFrom('baselines')
      .select('baselines.run_id')
      .where('run_id', '=', p.runId)
      .where('account', '=', p.account)
      .where(
        isPostgres(db)
          ? sql<boolean>`baselines.ids::jsonb ? ${p.publicationId}`
          : sql<boolean>`${p.publicationId} in (select value from json_each(baselines.ids))`,
      ),
);

/** Whether a publication was in the account's list before the run created anything. */
export async function isOlder(
  tx: Tx,
  one: { runId: number; account: string; publicationId: string },
): Promise<boolean> {
  return (await olderOnes(tx, one)) !== undefined;
}

/**
 * The answer names a publication that isn't this row's, so it doesn't tell us anything about this row's create: it
 * counts as unknown. A publication may exist for the row under an id that was never returned.
 */
export async function recordOthersId(r: Recording, publicationId: string, why: string): Promise<Recorded> {
  const { tx, row, attempt } = r;
  if (attempt.ended_at !== null) return { state: row.state };
  const message = `the service answered with publication ${publicationId}, which ${why}`;
  await endAttempt(r, { kind: 'unknown', code: OTHERS_ID, message }, {});
  if (attempt.number === row.attempts && row.state === 'creating') {
    await patchRow(tx, row.id, { code: OTHERS_ID, message: shortMessage(message) });
  }
  return { state: row.state };
}

/**
 * Withdraws the answer of a create, because its publication turned out to be another row's: the answer counts as
 * unknown from now on. Returns false if the row has moved on since; then nothing is changed.
 */
export async function withdrawAnswer(tx: Tx, rowId: number, publicationId: string, now: number): Promise<boolean> {
  const row = await readRow(tx, rowId);
  if (row.state !== 'processing' || row.publication_id !== publicationId) return false;
  const attempt = await readAttempt(tx, row, row.attempts);
  if (attempt.outcome !== 'accepted' || attempt.publication_id !== publicationId) return false;
  const message = shortMessage(`the service answered with publication ${publicationId}, which is another row’s`);
  await tx
    .updateTable('attempts')
    .set({ outcome: 'unknown', code: OTHERS_ID, message, settled_as: null, settled_at: null })
    .where('row_id', '=', rowId)
    .where('number', '=', attempt.number)
    .execute();
  await moveRow(tx, row, 'creating', now, {
    code: OTHERS_ID,
    message,
    publication_id: null,
    status: null,
    created_at: null,
    deadline: null,
  });
  return true;
}
