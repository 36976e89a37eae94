import { baseName } from '../model/source';
import { type Db } from '../engine/store';
import { type RowRecord } from '../engine/tables';

type Placed = Pick<RowRecord, 'account' | 'profile_id' | 'platform' | 'key' | 'snapshot_id' | 'line'>;

/**
 * A row's line in the manifest that is shown: a sheet that corrected it has other lines. If that manifest doesn't have
 * the row, its own line.
 */
export async function lineIn(
  db: Db,
  snapshotId: number | null,
  row: Placed & Pick<RowRecord, 'label'>,
): Promise<{ line: number; label: string }> {
  const { label } = row;
  const line = (await ownLine(db, snapshotId, row)) ?? row.line;
  return { line, label: line === row.line ? label : label.replace(`row ${row.line}`, `row ${line}`) };
}

/** Null if that manifest doesn't have the row. */
async function ownLine(db: Db, snapshotId: number | null, row: Placed): Promise<number | null> {
  if (snapshotId === null) return null;
  if (row.snapshot_id === snapshotId) return row.line;
  const entry = await db
    .selectFrom('entries')
    .select('line')
    .where('snapshot_id', '=', snapshotId)
    .where('key', '=', row.key)
    .where('account', '=', row.account)
    .where('profile_id', '=', row.profile_id)
    .where('platform', '=', row.platform)
    .executeTakeFirst();
  return entry?.line ?? null;
}

/** A row's place for people: its line in the campaign's manifest, or in the file that had it last. */
export interface ShownPlace {
  line: number;
  /** That file's name; null: the campaign's manifest has the row. */
  file: string | null;
}

/** The places of some rows, of any campaigns. */
export async function placesOf(db: Db, rows: readonly (Placed & { campaign: string })[]): Promise<ShownPlace[]> {
  const manifests = new Map<string, number | null>();
  const places: ShownPlace[] = [];
  for (const row of rows) {
    const known = manifests.get(row.campaign);
    const manifest = known === undefined ? await manifestOf(db, row.campaign) : known;
    manifests.set(row.campaign, manifest);
    const line = await ownLine(db, manifest, row);
    places.push(line === null ? { line: row.line, file: await fileOf(db, row.snapshot_id) } : { line, file: null });
  }
  return places;
}

/** `row 12`, `row 2 of corrected.csv` */
export function placeText({ line, file }: ShownPlace): string {
  return file === null ? `row ${line}` : `row ${line} of ${file}`;
}

async function manifestOf(db: Db, campaign: string): Promise<number | null> {
  const found = await db.selectFrom('campaigns').select('snapshot_id').where('name', '=', campaign).executeTakeFirst();
  return found?.snapshot_id ?? null;
}

async function fileOf(db: Db, snapshotId: number): Promise<string | null> {
  const found = await db.selectFrom('snapshots').select('path').where('id', '=', snapshotId).executeTakeFirst();
  return found === undefined ? null : baseName(found.path);
}
