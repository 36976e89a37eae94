import { basename } from 'node:path';
import { isAbsence } from '../manifests/settings/missing-files';
import { stillWritten } from '../manifests/parse/folder/settled-files';
import { type ManifestReading, type ManifestRow } from '../manifests/types';

/** Rows whose files don't exist yet, or aren't complete. */
export interface AwaitedFiles {
  rows: ReadonlySet<ManifestRow>;
  /** Their names, each once. */
  files: string[];
}

const NONE: AwaitedFiles = { rows: new Set(), files: [] };

/** Of the rows that are still to be sent, those that have to wait for their file; none unless `missing` allows it. */
export async function awaitedFiles(
  reading: ManifestReading,
  stillToSend: (row: ManifestRow) => boolean,
): Promise<AwaitedFiles> {
  const { missing = 'fail' } = reading.settings;
  if (missing === 'fail') return NONE;
  const candidates = reading.rows.filter((row) => row.sourceKind === 'file' && !row.skip && stillToSend(row));
  const there = candidates.filter((row) => row.deferredErrors.length === 0).map((row) => row.source ?? '');
  const written = await stillWritten([...new Set(there)]);
  const rows = candidates.filter((row) => row.deferredErrors.some(isAbsence) || written.has(row.source ?? ''));
  return { rows: new Set(rows), files: [...new Set(rows.map((row) => basename(row.source ?? '')))] };
}
