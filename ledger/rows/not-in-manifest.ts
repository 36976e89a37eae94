import { sql } from 'kysely';
import { type Db } from '../engine/store';

/** The code of a row that the manifest of its run doesn't have, where nothing else is to be said of it. */
export const NOT_IN_MANIFEST = 'not-in-manifest';

/**
 * Rows that a run holds and the manifest that it shows doesn't have: a smaller manifest joined it, and they were kept, or
 * sent already. What a manifest pruned is no row of the run any more.
 *
 * Almost always there are none, and the two ranges of the index (below and above the manifest) say so at once. Other
 * manifests' rows are compared with it by what identifies them: their import may be yet to come, and a later run's takes
 * them along.
 */
export function rowsNotInManifest(db: Db, run: { id: number }, snapshotId: number) {
  return SIDES.map((side) => rowsBeside(db, run, snapshotId, side));
}

/** Below the manifest and above it, in the order of manifests. */
export const SIDES = ['<', '>'] as const;

/** Those of one side. */
export function rowsBeside(db: Db, run: { id: number }, snapshotId: number, side: (typeof SIDES)[number]) {
  return db
    .selectFrom('rows')
    .where('rows.run_id', '=', run.id)
    .where('rows.snapshot_id', side, snapshotId)
    .where(isNotPruned)
    .where(isMissingIn(snapshotId));
}

/** Rows of a campaign that a manifest of it doesn't have, whatever became of them; all of them where there is none. */
export function vanishedRows(db: Db, campaign: string, snapshotId: number | null) {
  const rows = db.selectFrom('rows').where('rows.campaign', '=', campaign);
  return snapshotId === null ? rows : rows.where('rows.snapshot_id', '!=', snapshotId).where(isMissingIn(snapshotId));
}

/** Rows of a campaign that a manifest of it doesn't have and that were not pruned, whichever run they are of. */
export function remainingRows(db: Db, campaign: string, snapshotId: number) {
  return vanishedRows(db, campaign, snapshotId).where(isNotPruned);
}

const isNotPruned = sql<boolean>`(rows.state <> 'cancelled' or rows.code is null or rows.code <> 'pruned')`;

/** Built once for all rows that are compared, and only where there are any. */
export function isIn(snapshotId: number) {
  return sql<boolean>`(rows.account, rows.profile_id, rows.platform, rows."key") in
    (select account, profile_id, platform, "key" from entries where snapshot_id = ${snapshotId})`;
}

function isMissingIn(snapshotId: number) {
  return sql<boolean>`(rows.account, rows.profile_id, rows.platform, rows."key") not in
    (select account, profile_id, platform, "key" from entries where snapshot_id = ${snapshotId})`;
}
