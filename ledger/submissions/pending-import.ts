import { problem, type SubmissionProblem } from '../model/errors';
import { type Db, type Store } from '../engine/store';
import { type RunRef } from '../model/types';
import { importSubmissions } from './import';

/** The open run of a campaign that has an accepted submission which isn't imported yet; undefined if there is none. */
export function pendingRun(db: Db, campaign: string): Promise<RunRef | undefined> {
  return db
    .selectFrom('submissions')
    .innerJoin('runs', 'runs.campaign', 'submissions.campaign')
    .select(['runs.campaign', 'runs.number'])
    .where('submissions.campaign', '=', campaign)
    .where('submissions.imported_at', 'is', null)
    .where('runs.open', '=', 1)
    .limit(1)
    .executeTakeFirst();
}

/**
 * Imports the campaign's accepted submissions, as its run does once a worker is running. Until then a manifest that
 * renames or loses their rows would look like one with new rows only.
 */
export async function importPending(store: Store, campaign: string): Promise<void> {
  // A run that is superseded meanwhile imports nothing: its successor does.
  for (let run = await pendingRun(store.db, campaign); run; run = await pendingRun(store.db, campaign))
    await importSubmissions(store, run);
}

/** A plan writes nothing, so it can't compare a manifest with rows that don't exist yet. */
export function notImported(): SubmissionProblem {
  return problem({ line: null, key: null }, 'warning', 'not-imported', {
    message: 'an earlier submission of this campaign is not imported yet, so this plan shows its rows as new',
    hint: 'submit compares the manifest with those rows too, and refuses it if rows are missing or renamed',
  });
}
