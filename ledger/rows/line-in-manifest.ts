import { type Db } from '../engine/store';
import { type RowRecord } from '../engine/tables';

type Placed = Pick<RowRecord, 'account' | 'profile_id' | 'platform' | 'key' | 'snapshot_id' | 'line' | 'label'>;

/**
 * Where a row stands in the manifest that is shown: a sheet that corrected it has other lines. The row's own place where
 * that manifest doesn't have it.
 */
export async function lineIn(db: Db, snapshotId: number | null, row: Placed): Promise<{ line: number; label: string }> {
  const { line, label } = row;
  if (snapshotId === null || row.snapshot_id === snapshotId) return { line, label };
  const entry = await db
    .selectFrom('entries')
    .select('line')
    .where('snapshot_id', '=', snapshotId)
    .where('key', '=', row.key)
    .where('account', '=', row.account)
    .where('profile_id', '=', row.profile_id)
    .where('platform', '=', row.platform)
    .executeTakeFirst();
  if (entry === undefined) return { line, label };
  return { line: entry.line, label: label.replace(`row ${line}`, `row ${entry.line}`) };
}
