import { type Tx } from '../engine/store';
import { shortMessage } from '../model/labels';
import { type SubmissionResult } from '../model/submission-types';
import { type RunRef } from '../model/types';

/** What a firing already submitted; null if it didn't. Runs in the transaction that would submit it. */
export async function submissionOfFiring(
  tx: Tx,
  firing: number,
): Promise<Omit<SubmissionResult, 'warnings' | 'channels'> | null> {
  const found = await tx
    .selectFrom('firings')
    .innerJoin('submissions', 'submissions.id', 'firings.submission_id')
    .innerJoin('runs', 'runs.id', 'submissions.run_id')
    .select(['submissions.id', 'runs.campaign', 'runs.number', 'runs.started_by'])
    .where('firings.id', '=', firing)
    .executeTakeFirst();
  if (!found) return null;
  const run = { campaign: found.campaign, number: found.number };
  return { submission: found.id, run, attached: true, startedBy: found.started_by, repeated: true };
}

export async function noteSubmission(
  tx: Tx,
  firing: number,
  made: { submission: number; run: RunRef; manifestHash: string; note: string | null },
): Promise<void> {
  await tx
    .updateTable('firings')
    .set({
      submission_id: made.submission,
      campaign: made.run.campaign,
      run_number: made.run.number,
      manifest_hash: made.manifestHash,
      reason: made.note === null ? null : shortMessage(made.note),
    })
    .where('id', '=', firing)
    .execute();
}
