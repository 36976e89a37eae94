import { type Db } from '../engine/store';
import { leftOutOf } from '../queries/left-out';
import { vanishedRows } from '../rows/not-in-manifest';
import { correctingSheets, correctionsOf, isCorrecting, submissionsOf } from '../runs/corrections';
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
  const header = headerOf(text);
  if (header.includes('reelay_key')) return 'results';
  return header.includes('reelay_campaign') && header.includes('reelay_line') ? 'rejected' : null;
}

/** The first record of a CSV: a column’s name in quotes may have line breaks. */
function headerOf(text: string): string {
  let inQuotes = false;
  const end = Math.min(text.length, HEADER_CHARACTERS);
  for (let at = 0; at < end; at++) {
    if (text[at] === '"') inQuotes = !inQuotes;
    else if (text[at] === '\n' && !inQuotes) return text.slice(0, at);
  }
  return text.slice(0, end);
}

/** Longer than any header that is read. */
const HEADER_CHARACTERS = 100_000;

/**
 * Which rows of a campaign a submission corrects, if it is not a version of its main manifest: another file that reelay
 * wrote, whatever rows were added to it, or one that has only some of the rows and no new ones.
 */
export async function correctionOf(db: Db, input: Given, extent: Extent): Promise<Correction> {
  const { snapshot, firing, vanished } = input;
  if (firing !== undefined || vanished === 'prune') return null;
  const sheet = sheetOf(snapshot.text);
  if (sheet === null && extent !== 'part') return null;
  return (await isOtherFile(db, input)) ? (sheet ?? 'results') : null;
}

/** Which rows of the campaign's manifest a sheet that reelay wrote has: it touches no others. Null: it isn't one. */
export async function rowsOfSheet(db: Db, input: Given): Promise<Correction> {
  const sheet = sheetOf(input.snapshot.text);
  return sheet !== null && (await isOtherFile(db, input)) ? sheet : null;
}

/**
 * Of some rows that a manifest lacks, those that were added in a sheet which corrects the one before it: that one lacks
 * them too, so they have not vanished.
 */
export async function addedInSheets(
  db: Db,
  campaign: string,
  rows: readonly { id: number; snapshotId: number }[],
): Promise<ReadonlySet<number>> {
  const correcting = new Set(await correctingSheets(db, campaign));
  const sheets = [...new Set(rows.map(({ snapshotId }) => snapshotId))].filter((one) => correcting.has(one));
  if (sheets.length === 0) return new Set();
  const { newest } = await correctionsOf(db, campaign);
  const isLeftOut = await leftOutOf(db, newest);
  const { snapshot_id: main } = await db
    .selectFrom('campaigns')
    .select('snapshot_id')
    .where('name', '=', campaign)
    .executeTakeFirstOrThrow();
  const beside = await vanishedRows(db, campaign, main)
    .select(['rows.id', 'rows.key', 'rows.source_hash'])
    .where('rows.snapshot_id', 'in', sheets)
    .execute();
  return new Set(beside.filter((row) => !isLeftOut(row)).map(({ id }) => id));
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
