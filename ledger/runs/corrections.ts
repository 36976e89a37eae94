import { type Db } from '../engine/store';

/** Whether a submission, by its stored options, corrects some rows of its campaign's main manifest. */
export function isCorrecting(options: string): boolean {
  return (JSON.parse(options) as { correcting?: boolean }).correcting === true;
}

/** A campaign's submissions and their manifests, the newest first. */
export function submissionsOf(db: Db, campaign: string) {
  return db
    .selectFrom('submissions')
    .innerJoin('snapshots', 'snapshots.id', 'submissions.snapshot_id')
    .innerJoin('runs', 'runs.id', 'submissions.run_id')
    .select(['submissions.id', 'submissions.snapshot_id', 'submissions.run_id', 'submissions.options', 'runs.number'])
    .select(['snapshots.hash', 'snapshots.file_hash', 'snapshots.path'])
    .where('submissions.campaign', '=', campaign)
    .orderBy('submissions.id', 'desc')
    .execute();
}

/** Whether it has rows that were left out of that manifest. */
export function isRejectedSheet(options: string): boolean {
  return (JSON.parse(options) as { rejectedSheet?: boolean }).rejectedSheet === true;
}

/** The snapshots of all sheets that corrected rows of a campaign. */
export async function correctingSheets(db: Db, campaign: string): Promise<number[]> {
  const submissions = await submissionsOf(db, campaign);
  return submissions.filter(({ options }) => isCorrecting(options)).map(({ snapshot_id }) => snapshot_id);
}

/**
 * The main manifest's file (its hash), its newest submission, and the snapshots of the sheets that correct it as it is
 * now, or as it was before a submission (its id).
 */
export async function correctionsOf(
  db: Db,
  campaign: string,
  until = Infinity,
): Promise<{ fileHash: string | null; newest: number | null; sheets: ReadonlySet<number> }> {
  const sheets = new Set<number>();
  let fileHash: string | null = null;
  let newest: number | null = null;
  let before: number[] = [];
  for (const { id, snapshot_id, file_hash, options } of await submissionsOf(db, campaign)) {
    if (id >= until) continue;
    if (isCorrecting(options)) {
      before.push(snapshot_id);
      continue;
    }
    fileHash ??= file_hash;
    newest ??= id;
    if (fileHash !== file_hash) break;
    for (const sheet of before) sheets.add(sheet);
    before = [];
  }
  return { fileHash, newest, sheets };
}
