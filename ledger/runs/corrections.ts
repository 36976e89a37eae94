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
    .select(['snapshots.hash', 'snapshots.file_hash', 'submissions.snapshot_id', 'submissions.options'])
    .where('submissions.campaign', '=', campaign)
    .orderBy('submissions.id', 'desc')
    .execute();
}

/** The main manifest's file (its hash), and the snapshots of the sheets that correct it as it is now. */
export async function correctionsOf(
  db: Db,
  campaign: string,
): Promise<{ fileHash: string | null; sheets: ReadonlySet<number> }> {
  const sheets = new Set<number>();
  let fileHash: string | null = null;
  let before: number[] = [];
  for (const { snapshot_id, file_hash, options } of await submissionsOf(db, campaign)) {
    if (isCorrecting(options)) {
      before.push(snapshot_id);
      continue;
    }
    fileHash ??= file_hash;
    if (fileHash !== file_hash) break;
    for (const sheet of before) sheets.add(sheet);
    before = [];
  }
  return { fileHash, sheets };
}
