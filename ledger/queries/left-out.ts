import { isCorrecting, isRejectedSheet, submissionsOf } from '../runs/corrections';
import { viewOf } from '../runs/view';
import { type Db, type Store } from '../engine/store';
import { type ViewRef } from '../model/types';

/** Rows that one submission left out because of an error, and that were not submitted since. */
export interface LeftOutOfFile {
  /** `NAME.N`: the run of that submission. */
  run: string;
  /** The path of its manifest. */
  manifest: string;
  rows: number;
  /** The first lines of these rows, as far as they are known. */
  lines: number[];
}

type Submission = Awaited<ReturnType<typeof submissionsOf>>[number];

interface LeftOut {
  line: number;
  key: string | null;
  source_hash: string;
}

/** Of the lines that are listed. */
const SHOWN = 5;

/**
 * Rows of a view's manifest, and of the sheets that correct it, that were left out because of an error. Those that were
 * submitted since, by their key or source, no longer count.
 */
export async function leftOut({ db }: Store, ref: ViewRef): Promise<LeftOutOfFile[]> {
  const view = await viewOf(db, ref);
  const all = await submissionsOf(db, view.campaign);
  const own = view.whole ? all : all.filter(({ run_id }) => run_id === view.run?.id);
  const main = own.findIndex(({ options }) => !isCorrecting(options));
  const shown = main < 0 ? own : own.slice(0, main + 1);
  const files: LeftOutOfFile[] = [];
  /** What later sheets of the view have left out again. */
  const again: LeftOut[] = [];
  for (const submission of shown) {
    const rows = await readLeftOut(db, submission.id);
    if (rows.length === 0) continue;
    const left = unsettled(rows, [...(await acceptedSince(db, view.campaign, { submission, all })), ...again]);
    again.push(...rows.map((row) => ({ ...row, settles: isRejectedSheet(submission.options) })));
    if (left.rows > 0)
      files.push({ run: `${view.campaign}.${String(submission.number)}`, manifest: submission.path, ...left });
  }
  return files.reverse();
}

/** What a submission left out, by line. */
function readLeftOut(db: Db, submission: number): Promise<LeftOut[]> {
  return db
    .selectFrom('left_out')
    .select(['line', 'key', 'source_hash'])
    .where('submission_id', '=', submission)
    .orderBy('line')
    .execute();
}

/** Tells the rows that a submission left out, by their key or source; null: there is no submission. */
export async function leftOutOf(
  db: Db,
  submission: number | null,
): Promise<(row: { key: string; source_hash: string }) => boolean> {
  const rows = submission === null ? [] : await readLeftOut(db, submission);
  const keys = new Set(rows.map(({ key }) => key));
  const sources = new Set(rows.map(({ source_hash }) => source_hash));
  return ({ key, source_hash: source }) => keys.has(key) || (source !== '' && sources.has(source));
}

/** A row that may be a left-out one; `settles`: it stands in a sheet of left-out rows, and wasn't added to it. */
type Later = LeftOut & { settles?: boolean };

/** Rows that were accepted after a submission, or before it from a sheet that corrects the campaign's manifest. */
async function acceptedSince(
  db: Db,
  campaign: string,
  { submission, all }: { submission: Submission; all: readonly Submission[] },
): Promise<Later[]> {
  const later = all.filter(({ id, snapshot_id, options }) => {
    if (snapshot_id === submission.snapshot_id) return false;
    return id > submission.id || isCorrecting(options);
  });
  if (later.length === 0) return [];
  const sheets = new Set(
    later
      .filter(({ id, options }) => id > submission.id && isRejectedSheet(options))
      .map(({ snapshot_id }) => snapshot_id),
  );
  const rows = await db
    .selectFrom('rows')
    .select(['snapshot_id', 'position', 'line', 'key', 'source_hash'])
    .where('campaign', '=', campaign)
    .where(
      'snapshot_id',
      'in',
      later.map(({ snapshot_id }) => snapshot_id),
    )
    .execute();
  const named = await namesLine(db, sheets);
  // A row of the sheet may have several channels.
  const seen = new Set<string>();
  return rows.map(({ snapshot_id, position, ...row }) => {
    const place = `${String(snapshot_id)} ${String(row.line)}`;
    const settles = named.has(`${String(snapshot_id)} ${String(position)}`) && !seen.has(place);
    seen.add(place);
    return { ...row, settles };
  });
}

/** The entries of sheets of left-out rows that name a line of the manifest: the others were added to the sheet. */
async function namesLine(db: Db, sheets: ReadonlySet<number>): Promise<ReadonlySet<string>> {
  if (sheets.size === 0) return new Set();
  const found = await db
    .selectFrom('entries')
    .select(['snapshot_id', 'position'])
    .where('snapshot_id', 'in', [...sheets])
    .where('cells', 'like', '%"reelay_line":"%')
    .execute();
  return new Set(found.map(({ snapshot_id, position }) => `${String(snapshot_id)} ${String(position)}`));
}

/**
 * The rows that no later one is. Correcting a row that has no key may change all that identifies it: then each row of
 * a later sheet of left-out rows that is none of the others stands for one of these.
 */
function unsettled(rows: readonly LeftOut[], later: readonly Later[]): Pick<LeftOutOfFile, 'rows' | 'lines'> {
  const keys = new Set(later.map(({ key }) => key));
  const sources = new Set(later.map(({ source_hash }) => source_hash));
  const left = rows.filter(
    ({ key, source_hash: source }) => !(key !== null && keys.has(key)) && !(source !== '' && sources.has(source)),
  );
  const keyless = left.filter(({ key }) => key === null);
  const ownKeys = new Set(rows.map(({ key }) => key));
  const ownSources = new Set(rows.map(({ source_hash }) => source_hash));
  const others = later.filter(
    ({ settles, key, source_hash: source }) =>
      settles === true && !(key !== null && ownKeys.has(key)) && !(source !== '' && ownSources.has(source)),
  );
  const settled = Math.min(others.length, keyless.length);
  const known = settled === 0 ? left : left.filter(({ key }) => key !== null);
  return { rows: left.length - settled, lines: known.slice(0, SHOWN).map(({ line }) => line) };
}
