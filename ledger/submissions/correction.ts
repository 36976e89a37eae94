import { type Db } from '../engine/store';
import { type Planner } from './planning';
import { type SubmissionOptions } from './repeated-trial';
import { type SubmissionInput } from '../model/submission-types';

type Given = Omit<SubmissionInput, 'entries'>;

/** The header of a file that `results` wrote. */
const RESULT_HEADER = /^[^\n]*reelay_key/u;

/**
 * Whether a submission corrects some rows of a campaign, and is not a version of its main manifest: another file,
 * without new rows, that `results` wrote or that has only some of the rows.
 */
export async function isCorrection(db: Db, input: Given, extent: Planner['extent']): Promise<boolean> {
  const { campaign, snapshot, firing, vanished } = input;
  if (extent === 'other' || firing !== undefined || vanished === 'prune') return false;
  if (extent === 'all' && !RESULT_HEADER.test(snapshot.text)) return false;
  const main = await db
    .selectFrom('campaigns')
    .innerJoin('snapshots', 'snapshots.id', 'campaigns.snapshot_id')
    .select('snapshots.path')
    .where('campaigns.name', '=', campaign)
    .executeTakeFirst();
  return main !== undefined && main.path !== snapshot.path;
}

/**
 * Whether a manifest was accepted before, and another version of it since. Sheets that correct some of its rows don't
 * count as versions, nor does the same file with other flags.
 */
export async function isEarlierVersion(db: Db, { campaign, snapshot }: Given): Promise<boolean> {
  let newest = true;
  let replaced = false;
  /** Of the newest version. */
  let fileHash: string | null = null;
  const submissions = await db
    .selectFrom('submissions')
    .innerJoin('snapshots', 'snapshots.id', 'submissions.snapshot_id')
    .select(['snapshots.hash', 'snapshots.file_hash', 'submissions.options'])
    .where('submissions.campaign', '=', campaign)
    .orderBy('submissions.id', 'desc')
    .execute();
  for (const { hash, file_hash, options } of submissions) {
    const correcting = (JSON.parse(options) as SubmissionOptions).correcting === true;
    if (!correcting) fileHash ??= file_hash;
    if (fileHash === snapshot.fileHash) return false;
    // An earlier correction is outdated by anything submitted since.
    if (hash === snapshot.hash) return !newest && (replaced || correcting);
    newest = false;
    replaced ||= !correcting;
  }
  return false;
}
