import { sql } from 'kysely';
import { type Db } from '../engine/store';

/** The code of a row that the manifest of its run doesn't have, unless a more specific code applies. */
export const NOT_IN_MANIFEST = 'not-in-manifest';

/**
 * Rows that a run has and that the manifest it shows doesn't have: a smaller manifest joined it, and they were kept,
 * already sent, or pruned by it.
 * Almost always there are none, and the two ranges of the index (below and above the manifest) show that at once. Rows
 * of other manifests are compared by their identity, because their import may not have happened yet, and a later run's
 * import takes them along.
 */
export function rowsNotInManifest(db: Db, run: { id: number }, snapshotId: number) {
  return SIDES.map((side) => rowsBeside(db, run, snapshotId, side));
}

/** Below the manifest and above it, in the order of manifests. */
export const SIDES = ['<', '>'] as const;

/** The rows on one side. */
export function rowsBeside(db: Db, run: { id: number }, snapshotId: number, side: (typeof SIDES)[number]) {
  return db
    .selectFrom('rows')
    .where('rows.run_id', '=', run.id)
    .where('rows.snapshot_id', side, snapshotId)
    .where(isMissingIn(snapshotId));
}

/** Rows of a campaign that one of its manifests doesn't have, in any state; all of them if there is no manifest. */
export function vanishedRows(db: Db, campaign: string, snapshotId: number | null) {
  const rows = db.selectFrom('rows').where('rows.campaign', '=', campaign);
  return snapshotId === null ? rows : rows.where('rows.snapshot_id', '!=', snapshotId).where(isMissingIn(snapshotId));
}

/** Built once for all rows that are compared, and only where there are any. */
export function isIn(snapshotId: number) {
  return sql<boolean>`(rows.account, rows.profile_id, rows.platform, rows."key") in
    (select account, profile_id, platform, "key" from entries where snapshot_id = ${snapshotId})`;
}

export function isMissingIn(snapshotId: number) {
  return sql<boolean>`(rows.account, rows.profile_id, rows.platform, rows."key") not in
    (select account, profile_id, platform, "key" from entries where snapshot_id = ${snapshotId})`;
}
