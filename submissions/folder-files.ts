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
  const byPath = new Map(known.map((file) => [file.source, file]));
  const byMark = new Map(known.flatMap((file) => (file.mark === null ? [] : [[file.mark, file] as const])));
  const present = new Set(rows.map(({ source }) => source));
  const fresh = new Map<string, string>();
  const kept: ManifestRow[] = [];
  const problems: Problem[] = [];
  for (const row of rows) {
    const path = row.source ?? '';
    const before = byPath.get(path);
    const same = before !== undefined && before.size === row.fileSize && before.modifiedMs === row.fileModifiedMs;
    const mark = same && before.mark !== null ? before.mark : await markOf(path, row.fileSize ?? 0);
    const marked: ManifestRow = mark === null ? row : { ...row, fileMark: mark };
    if (before !== undefined || mark === null) {
      kept.push(marked);
      continue;
    }
    const twin = byMark.get(mark);
    const first = fresh.get(mark) ?? path;
    if (twin !== undefined && isUnsent(twin) && !present.has(twin.source)) {
      kept.push(row.keyGiven ? marked : { ...marked, key: twin.key });
    } else if (twin !== undefined) {
      problems.push(takenAlready(row, `${basename(twin.source)}, which is ${twin.state}`));
    } else if (first !== path) {
      problems.push(takenAlready(row, basename(first)));
    } else {
      fresh.set(mark, path);
      kept.push(marked);
    }
  }
  return { rows: kept, problems: onePerFile(problems) };
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
