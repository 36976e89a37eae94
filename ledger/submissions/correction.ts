import { type Db } from '../engine/store';
import { leftOutOf } from '../queries/left-out';
import { isMissingIn, vanishedRows } from '../rows/not-in-manifest';
import { correctingSheets, correctionsOf, isCorrecting, submissionsOf } from '../runs/corrections';
import { type RowState } from '../model/states';
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

/** Results have pruned rows, whether they are to be sent or not: unedited, they stay cancelled unless that is asked for. */
export function leavesPruned({ snapshot, cancelled }: Pick<Given, 'snapshot' | 'cancelled'>): boolean {
  return cancelled !== 'send' && sheetOf(snapshot.text) === 'results';
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
 * Rows that were added in sheets which correct the campaign's main manifest: that one lacks them, so a new version
 * without them has not lost them. `before`: the submission of that new version, if it is accepted already.
 */
export async function addedInSheets(db: Db, campaign: string, before?: number): Promise<ReadonlySet<number>> {
  const sheets = await correctingSheets(db, campaign);
  if (sheets.length === 0) return new Set();
  const { newest } = await correctionsOf(db, campaign, before);
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

/** Unsent and rejected rows are cancelled when they are pruned. */
export const PRUNABLE: readonly RowState[] = ['planned', 'waiting', 'rejected'];

/**
 * The first rows of a campaign in some states that a submission's manifest lacks and the manifest before it had: what
 * it prunes. To be asked after its last entry was imported: from then on, the rows that it has name it as their manifest,
 * apart from those that keep a correction.
 */
export async function rowsToPrune(
  db: Db,
  { id, campaign, snapshot_id }: { id: number; campaign: string; snapshot_id: number },
  { states, limit }: { states: readonly RowState[]; limit: number },
) {
  const added = await addedInSheets(db, campaign, id);
  const gone = await db
    .selectFrom('rows')
    .select(['rows.id', 'rows.state', 'rows.key', 'rows.line'])
    .where('rows.campaign', '=', campaign)
    .where('rows.snapshot_id', '!=', snapshot_id)
    .where('rows.state', 'in', states)
    .where((eb) => eb.or([eb('rows.replaced_values', 'is', null), isMissingIn(snapshot_id)]))
    .orderBy('rows.id')
    .limit(limit + added.size)
    .execute();
  return gone.filter((row) => !added.has(row.id)).slice(0, limit);
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
