import { type Db } from '../engine/store';
import { isCorrecting, submissionsOf } from '../runs/corrections';
import { type SubmissionInput } from '../model/submission-types';

/** Whose rows a correction has: those of earlier runs, or those that were left out. Null: it is no correction. */
export type Correction = 'results' | 'rejected' | null;

type Given = Omit<SubmissionInput, 'entries'>;

/** Which of a campaign's rows a manifest has. `all` and `part`: it has no new row. */
export type Extent = 'all' | 'part' | 'other';

/**
 * What a manifest is if reelay wrote it: results of rows, or the rows that `--skip-invalid` left out. Null: it is a
 * file of the user's own.
 */
export function sheetOf(text: string): Correction {
  const end = text.indexOf('\n');
  const header = end < 0 ? text : text.slice(0, end);
  if (header.includes('reelay_key')) return 'results';
  return header.includes('reelay_campaign') && header.includes('reelay_line') ? 'rejected' : null;
}

/**
 * Which rows of a campaign a submission corrects, if it is not a version of its main manifest: another file that has
 * rows which `--skip-invalid` left out of it; or that has no new rows, and either `results` wrote it or it has only
 * some of the rows.
 */
export async function correctionOf(db: Db, input: Given, extent: Extent): Promise<Correction> {
  const { snapshot, firing, vanished } = input;
  if (firing !== undefined || vanished === 'prune') return null;
  const sheet = sheetOf(snapshot.text);
  if (sheet !== 'rejected' && (extent === 'other' || (extent === 'all' && sheet === null))) return null;
  return (await isOtherFile(db, input)) ? (sheet ?? 'results') : null;
}

/** Which rows of the campaign's manifest a sheet that reelay wrote has: it touches no others. Null: it isn't one. */
export async function rowsOfSheet(db: Db, input: Given): Promise<Correction> {
  const sheet = sheetOf(input.snapshot.text);
  return sheet !== null && (await isOtherFile(db, input)) ? sheet : null;
}

/** Whether the campaign has a main manifest, and it is another file. */
async function isOtherFile(db: Db, { campaign, snapshot }: Given): Promise<boolean> {
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
  for (const { hash, file_hash, options } of await submissionsOf(db, campaign)) {
    const correcting = isCorrecting(options);
    if (!correcting) fileHash ??= file_hash;
    if (fileHash === snapshot.fileHash) return false;
    // An earlier correction is outdated by anything submitted since.
    if (hash === snapshot.hash) return !newest && (replaced || correcting);
    newest = false;
    replaced ||= !correcting;
  }
  return false;
}
