import { type Db } from '../engine/store';
import { type ConfiguredReading, type GivenFlag, type SubmissionInput } from '../model/submission-types';

/** Number of the run's submissions that are searched. */
const NEWEST_COMPARED = 50;

/**
 * How many rows the same trial (the same content, limit and keys) has taken in the run that is open now: repeating the
 * command continues with those, and takes no others. Firings don't count: each takes its own rows.
 */
export async function takenByTrial(
  db: Db,
  trial: {
    campaign: string;
    hash: string;
    select: NonNullable<SubmissionOptions['select']>;
    /** Only submissions before this one. */
    before?: number;
  },
): Promise<number> {
  const earlier = await db
    .selectFrom('submissions')
    .innerJoin('runs', 'runs.id', 'submissions.run_id')
    .innerJoin('snapshots', 'snapshots.id', 'submissions.snapshot_id')
    .leftJoin('firings', 'firings.submission_id', 'submissions.id')
    .select(['submissions.selected', 'submissions.options'])
    .where('submissions.campaign', '=', trial.campaign)
    .where('runs.open', '=', 1)
    .where('snapshots.hash', '=', trial.hash)
    .where('firings.submission_id', 'is', null)
    .$if(trial.before !== undefined, (query) => query.where('submissions.id', '<', trial.before ?? 0))
    .orderBy('submissions.id', 'desc')
    .limit(NEWEST_COMPARED)
    .execute();
  const wanted = JSON.stringify(trial.select);
  const same = earlier.find(
    ({ options }) => JSON.stringify((JSON.parse(options) as SubmissionOptions).select) === wanted,
  );
  return same?.selected ?? 0;
}

/** Whether a firing of a schedule made the submission. */
export async function isFirings(db: Db, submissionId: number): Promise<boolean> {
  const found = await db
    .selectFrom('firings')
    .select('submission_id')
    .where('submission_id', '=', submissionId)
    .executeTakeFirst();
  return found !== undefined;
}

/** The part of a submission that the import needs later. */
export interface SubmissionOptions {
  select: SubmissionInput['select'] | null;
  take?: true;
  vanished: NonNullable<SubmissionInput['vanished']>;
  /** Absent in submissions of earlier versions. */
  recreate?: boolean;
  /** Rows that a person cancelled stay cancelled. */
  leaveCancelled?: true;
  /** Pruned rows stay cancelled unless they were edited. */
  leavePruned?: true;
  /** Rows that a person cancelled are sent after all. */
  sendCancelled?: true;
  /** It corrects some rows of the campaign; the main manifest stays the same. */
  correcting?: true;
  /** It has rows that `--skip-invalid` left out of that manifest, corrected. */
  rejectedSheet?: true;
  given?: readonly GivenFlag[];
  config?: string;
  configured?: ConfiguredReading;
  /** The host that has the files of its rows. */
  filesHost?: string;
}
