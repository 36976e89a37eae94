import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type KnownFile } from '../ledger/rows/known-files';
import { takenAlready } from '../manifests/settings/missing-files';
import { type Problem } from '../manifests/problems/problems';
import { type ManifestRow } from '../manifests/types';

const PIECE = 64 * 1024;

/**
 * Recognises a folder's files by their content: a file that was renamed or copied after it was sent is left out; one
 * that was renamed before it was sent keeps its row. Two new files with the same content count as one.
 */
export async function recognizeFiles(
  rows: readonly ManifestRow[],
  known: readonly KnownFile[],
): Promise<{ rows: ManifestRow[]; problems: Problem[] }> {
  const byKey = currentFiles(known);
  const current = [...byKey.values()];
  const byPath = new Map(current.map((file) => [file.source, file]));
  const byMark = new Map(current.flatMap((file) => (file.mark === null ? [] : [[file.mark, file] as const])));
  const present = new Set(rows.map(({ source }) => source));
  const fresh = new Map<string, string>();
  const kept: ManifestRow[] = [];
  const problems: Problem[] = [];
  for (const row of rows) {
    const path = row.source ?? '';
    const before = byPath.get(path);
    const same = before !== undefined && before.size === row.fileSize && before.modifiedMs === row.fileModifiedMs;
    const mark = same && before.mark !== null ? before.mark : await markOf(path, row.fileSize ?? 0);
    const keep = (key: string): void => {
      kept.push({ ...row, ...(row.keyGiven ? {} : { key }), ...(mark === null ? {} : { fileMark: mark }) });
    };
    if (before !== undefined) {
      keep(before.key);
      continue;
    }
    if (mark === null) {
      keep(freeKey(row, byKey));
      continue;
    }
    const twin = byMark.get(mark);
    const first = fresh.get(mark) ?? path;
    if (first !== path) {
      problems.push(takenAlready(row, basename(first)));
    } else if (twin === undefined || (isUnsent(twin) && !present.has(twin.source))) {
      fresh.set(mark, path);
      keep(twin?.key ?? freeKey(row, byKey));
    } else {
      problems.push(takenAlready(row, `${basename(twin.source)}, which is ${twin.state}`));
    }
  }
  return { rows: kept, problems: onePerFile(problems) };
}

/**
 * The file of each key. Its rows in several channels share it, and what was sent keeps the name that it had then: the
 * newest name counts, and whether the file is still to be sent in any of them.
 */
function currentFiles(known: readonly KnownFile[]): Map<string, KnownFile> {
  const current = new Map<string, KnownFile>();
  for (const file of known) {
    const other = current.get(file.key);
    if (other?.source !== file.source || !isUnsent(other)) current.set(file.key, file);
  }
  return current;
}

/**
 * The key of a new file is its path. If a file that had this name was renamed and still has the key, the new one gets
 * it with a number.
 */
function freeKey({ key, source }: ManifestRow, byKey: ReadonlyMap<string, KnownFile>): string {
  const isRenamed = (tried: string): boolean => {
    const holder = byKey.get(tried);
    return holder !== undefined && basename(holder.source) !== basename(source ?? '');
  };
  let free = key;
  for (let count = 2; isRenamed(free); count++) free = `${key} (${count})`;
  return free;
}

function isUnsent({ state, sent }: KnownFile): boolean {
  return state === 'planned' || state === 'waiting' || (state === 'cancelled' && !sent);
}

/** Rows for several platforms share their file. */
function onePerFile(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

/** Size, beginning and end: no two videos share them, and they are read quickly for a file of any size. */
async function markOf(path: string, size: number): Promise<string | null> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    const hash = createHash('sha256').update(`${size}\n`);
    for (const start of new Set([0, Math.max(0, size - PIECE)])) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PIECE), 0, PIECE, start);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('hex').slice(0, 32);
  } finally {
    await handle.close();
  }
}
