import { open } from 'node:fs/promises';
import { type FoundExport } from '../fields/export-formats';
import { formatOf, loadManifest } from './load-file';
import { readParts } from './read-parts';
import { ProblemList } from '../problems/problems';
import { type ManifestSource, type ReadOptions } from '../types';

/** The first record of a text fits into this many bytes. */
const HEAD = 64 * 1024;

/**
 * The other tool whose file this is, if its columns aren't mapped, from the beginning of a manifest; null for any
 * other, and one that can’t be read.
 */
export async function findExportOf(source: ManifestSource, options: ReadOptions): Promise<FoundExport | null> {
  const problems = new ProblemList();
  const { bytes, ...file } = await loadManifest(await beginningOf(source), problems);
  if (formatOf(file.path, bytes.subarray(0, 4096).toString('utf8')) !== 'csv') return null;
  const { table } = await readParts({ ...file, bytes }, options, problems);
  // The header is read with the first row.
  table?.rows()[Symbol.iterator]().next();
  return table?.exportFormat ?? null;
}

/** A large file isn’t read twice for its header; a workbook is read as a whole. */
async function beginningOf(source: ManifestSource): Promise<ManifestSource> {
  if (!('path' in source)) return source;
  try {
    const file = await open(source.path);
    try {
      const info = await file.stat();
      if (!info.isFile() || info.size <= HEAD) return source;
      const head = Buffer.alloc(HEAD);
      await file.read(head, 0, HEAD, 0);
      if (head.toString('latin1', 0, 2) === 'PK') return source;
      return { text: head.subarray(0, head.lastIndexOf(0x0a) + 1), name: source.path, base: '.' };
    } finally {
      await file.close();
    }
  } catch {
    // The next function that reads it reports why it can’t be read.
    return source;
  }
}
