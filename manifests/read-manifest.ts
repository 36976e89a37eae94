import { cleanKey } from './checks/check-key';
import { MAX_LEFT_OUT } from './problems/problems';
import { type RawRow } from './raw-row';
import { scanManifest } from './scan-manifest';
import {
  type InvalidRow,
  type ManifestCheck,
  type ManifestReading,
  type ManifestRow,
  type ManifestSource,
  type ReadOptions,
  type RowOfProfile,
} from './types';

/**
 * Reads and checks a manifest: all problems at once, and no exception for mistakes in it. It reads the manifest, its
 * sheet and the files its rows name, and never the network. The same input at the same `now` gives the same result
 * whatever the machine's time zone and current folder.
 */
export async function readManifest(source: ManifestSource, options: ReadOptions): Promise<ManifestReading> {
  const found: ManifestRow[] = [];
  const unsoundRows: RowOfProfile[] = [];
  const broken = new Map<number, InvalidRow>();
  const invalidLines = new Set<number>();
  const keepInvalid = ({ line, cells, key, source }: InvalidRow): void => {
    invalidLines.add(line);
    if (broken.size < MAX_LEFT_OUT) broken.set(line, { line, cells, key, source });
  };
  const { refusedLater, ...scanned } = await scanManifest(source, options, (raw, drafts) => {
    if (drafts.length === 0) keepInvalid(invalidRow(raw));
    for (const { draft, sound } of drafts) {
      if (sound) {
        found.push(draft.row);
        continue;
      }
      keepInvalid(invalidRow(raw, draft.row));
      if (draft.identified && unsoundRows.length < MAX_LEFT_OUT) unsoundRows.push(rowOfProfile(draft.row));
    }
  });
  for (const row of found) if (refusedLater.has(row.line)) keepInvalid(row);
  const invalidRows = [...broken.values()].sort((a, b) => a.line - b.line);
  return {
    ...scanned,
    rows: refusedLater.size === 0 ? found : found.filter((row) => !refusedLater.has(row.line)),
    invalidRows,
    unsoundRows,
    invalidLines: [...invalidLines].sort((a, b) => a - b),
  };
}

function invalidRow(raw: RawRow, row?: ManifestRow): InvalidRow {
  const written = raw.result.get('reelay_key') ?? raw.slots.get('key');
  const key = row?.key || cleanKey(written?.text ?? '');
  return { line: raw.line, cells: raw.cells, key: key === '' ? null : key, source: row?.source ?? null };
}

/** The rest of the row isn't kept: half of a large manifest may have errors. */
function rowOfProfile(row: ManifestRow): RowOfProfile {
  const { line, account, profile, defaultAsked, recordedProfileId, platform, via, skip } = row;
  return {
    ...{ line, account, profile, platform, via, skip },
    ...(defaultAsked === true ? { defaultAsked } : {}),
    ...(recordedProfileId === undefined ? {} : { recordedProfileId }),
  };
}

/** Like `readManifest`, but the rows are only counted: memory doesn't grow beyond what identifies them. */
export function checkManifest(source: ManifestSource, options: ReadOptions): Promise<ManifestCheck> {
  return scanManifest(source, options, () => undefined);
}
