import { sql } from 'kysely';
import { batched } from '../engine/batch';
import { type Db } from '../engine/store';
import { type Tables } from '../engine/tables';
import { maskUrl } from '../model/source';
import { type EditConflict, type StoredEntry } from '../model/submission-types';
import { type Entry, type RowValues } from '../model/types';
import { versionOf } from '../model/version';
import { findRows, type FoundRow, identityOf } from '../rows/row-lookup';

interface Wanted {
  at: number;
  snapshot: number;
  position: number;
}

type Found = Pick<
  Tables['entries'],
  'key' | 'account' | 'profile_id' | 'platform' | 'skip' | 'values' | 'cells' | 'position' | 'snapshot_id'
> & { at: number };

type Version = Pick<Entry, 'values' | 'cells' | 'skip'>;

const versions = batched<Wanted, { campaign: string }, Found>(
  [
    ['at', 'integer'],
    ['snapshot', 'integer'],
    ['position', 'integer'],
  ],
  (tuples, { campaign }) => sql`
    with wanted(at, snapshot, position) as (values ${tuples})
    select wanted.at, entries.snapshot_id, entries.position, entries."key", entries.account, entries.profile_id,
      entries.platform, entries.skip, entries."values", entries.cells
    from wanted cross join entries join snapshots on snapshots.id = entries.snapshot_id
    where entries.snapshot_id = wanted.snapshot and entries.position = wanted.position
      and snapshots.campaign = ${campaign}`,
);

/**
 * Rows of a file of results, without what nobody has edited in it: where a row has got other values since the file was
 * written, its cells that are as they were written then stand for those. A value that was changed in both is a conflict.
 */
export async function mergeEdits(
  db: Db,
  campaign: string,
  page: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  if (page.every(({ entry }) => entry.version === undefined)) return page;
  const rows = await findRows(db, campaign, page);
  const bases: Wanted[] = [];
  const newest: Wanted[] = [];
  for (const [at, { entry }] of page.entries()) {
    const row = rows[at];
    if (!row || entry.version === undefined) continue;
    const { snapshotId: snapshot, position } = row;
    if (entry.version === versionOf({ snapshot, position })) continue;
    const [, base] = /^v(\d{1,9}\.\d{1,9})$/.exec(entry.version) ?? [];
    if (base === undefined) continue;
    const [baseSnapshot = 0, basePosition = 0] = base.split('.').map(Number);
    bases.push({ at, snapshot: baseSnapshot, position: basePosition });
    newest.push({ at, snapshot, position });
  }
  if (bases.length === 0) return page;
  const byPlace = async (wanted: readonly Wanted[]) =>
    new Map((await versions(db, wanted, { campaign })).map((found) => [found.at, found]));
  const [before, now] = [await byPlace(bases), await byPlace(newest)];
  return page.map((stored, at) => {
    const [base, row] = [before.get(at), now.get(at)];
    if (!base || !row || !isOf(base, stored.entry)) return stored;
    const { entry, conflicts } = merged(stored.entry, toVersion(base), toVersion(row));
    return {
      ...stored,
      merged: true as const,
      entry,
      text: JSON.stringify(entry.values),
      ...(conflicts.length === 0 ? {} : { conflicts }),
    };
  });
}

function isOf(found: Found, entry: Entry): boolean {
  const { account, profileId, platform, key } = identityOf(entry);
  return (
    found.key === key && found.account === account && found.profile_id === profileId && found.platform === platform
  );
}

function toVersion({ values, cells, skip }: Found): Version {
  return {
    values: JSON.parse(values) as RowValues,
    cells: JSON.parse(cells) as Record<string, string>,
    skip: skip === 1,
  };
}

/** Values that are edited on their own, and their names in a manifest. */
const FIELDS = [
  ['title', 'title'],
  ['description', 'description'],
  ['privacy', 'privacy'],
  ['status', 'status'],
  ['publishAt', 'publish_at'],
  ['deadline', 'deadline'],
  ['via', 'via'],
] as const;

function merged(entry: Entry, base: Version, now: Version): { entry: Entry; conflicts: readonly EditConflict[] } {
  const edited = editedCells(entry.cells, base.cells);
  const conflicts: EditConflict[] = [];
  const values: RowValues = { ...entry.values };
  /** Whether the newest value counts. */
  const takesNewest = (field: string, [own, before, newest]: readonly (string | null | undefined)[]): boolean => {
    if (edited.size === 0 || own === before) return true;
    if (newest !== before && newest !== own) conflicts.push({ field, file: shown(own), row: shown(newest) });
    return false;
  };
  for (const [name, field] of FIELDS)
    if (takesNewest(field, [entry.values[name], base.values[name], now.values[name]]))
      Object.assign(values, { [name]: now.values[name] });
  const [own, before, newest] = [entry.values.source, base.values.source, now.values.source];
  // The same source keeps what is known of its file today.
  if (takesNewest('source', [own, before, newest]) && own !== newest) Object.assign(values, sourceOf(now.values));
  const cells = { ...entry.cells };
  for (const [column, cell] of Object.entries(now.cells)) if (!edited.has(column)) cells[column] = cell;
  const skip = entry.skip === base.skip ? now.skip : entry.skip;
  return { entry: { ...entry, values, cells, skip }, conflicts };
}

/** A source without its query, which may be a signature. */
function shown(value: string | null | undefined): string | null {
  return value === null || value === undefined ? null : maskUrl(value);
}

/**
 * Values of a row that were corrected, and that its manifest would take back although it has not changed them: it has
 * what the correction replaced, and something else of the row that is new.
 */
export function lostCorrections(manifest: RowValues, { replaced, values }: FoundRow): EditConflict[] {
  if (replaced === null) return [];
  const before = JSON.parse(replaced) as RowValues;
  return [...FIELDS, ['source', 'source'] as const]
    .filter(([name]) => values[name] !== before[name] && manifest[name] === before[name])
    .map(([name, field]) => ({ field, file: shown(manifest[name]), row: shown(values[name]) }));
}

function sourceOf({ source, sourceKind, sourceExpiresAt, fileSize, fileModifiedMs, fileMark }: RowValues) {
  return { source, sourceKind, sourceExpiresAt, fileSize, fileModifiedMs, fileMark };
}

/** The user's own columns in which two versions of a row differ. Of several platforms, results show the row's own. */
function editedCells(cells: Entry['cells'], before: Entry['cells']): ReadonlySet<string> {
  const columns = new Set([...Object.keys(cells), ...Object.keys(before)]);
  const text = (of: Entry['cells'], column: string) => (of[column] ?? '').trim();
  return new Set(
    [...columns].filter((column) => {
      if (column.startsWith('reelay_') || column.trim().toLowerCase() === 'platform') return false;
      return text(cells, column) !== text(before, column);
    }),
  );
}
