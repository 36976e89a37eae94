import { baseName } from '../model/source';
import { type Db } from '../engine/store';
import { type RowRecord } from '../engine/tables';

type Placed = Pick<RowRecord, 'account' | 'profile_id' | 'platform' | 'key' | 'snapshot_id' | 'line'>;

/**
 * A row's line in the manifest that is shown: a sheet that corrected it has other lines. If that manifest doesn't have
 * the row, its own line, and the name of its file.
 */
export async function lineIn(
  db: Db,
  snapshotId: number | null,
  row: Placed & Pick<RowRecord, 'label'>,
): Promise<ShownPlace & { label: string }> {
  const own = await ownLine(db, snapshotId, row);
  const place = own === null ? await placeBeside(db, snapshotId, row) : { line: own, file: null };
  return { ...place, label: row.label.replace(`row ${row.line}`, placeText(place)) };
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
  /** That file's name; null: the campaign's manifest has the row, or an earlier version of it. */
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
    places.push(line === null ? await placeBeside(db, manifest, row) : { line, file: null });
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

/** The place of a row that the manifest doesn't have. */
async function placeBeside(db: Db, manifest: number | null, { line, snapshot_id }: Placed): Promise<ShownPlace> {
  const path = await pathOf(db, snapshot_id);
  const isSame = manifest !== null && path === (await pathOf(db, manifest));
  return { line, file: path === null || isSame ? null : baseName(path) };
}

async function pathOf(db: Db, snapshotId: number): Promise<string | null> {
  const found = await db.selectFrom('snapshots').select('path').where('id', '=', snapshotId).executeTakeFirst();
  return found?.path ?? null;
}
