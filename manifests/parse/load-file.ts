import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { nearest } from '../fields/classify-column';
import { type Place, type ProblemList } from '../problems/problems';
import { showValue } from '../text';
import { type ManifestSource, type RemoteTrust } from '../types';

/** The largest manifest, and the largest sheet, that is read, in bytes. */
export const MAX_MANIFEST_BYTES = 100 * 1024 * 1024;

/** A manifest's bytes and its location, links resolved. */
export interface LoadedFile {
  path: string;
  /** The folder where relative sources start. */
  base: string;
  /** Set if it came over the network. */
  remote: RemoteTrust | null;
  bytes: Buffer;
}

/** Reads the manifest's bytes. If that fails, the problem is reported and there are no bytes. */
export async function loadManifest(source: ManifestSource, problems: ProblemList): Promise<LoadedFile> {
  if ('text' in source) {
    const base = await realpath(resolve(source.base)).catch(() => resolve(source.base));
    const path = join(base, basename(source.name));
    const tooLarge = refuseTooLarge(source.text.length, { name: source.name, problems });
    return { path, base, remote: source.remote ?? null, bytes: tooLarge ? Buffer.alloc(0) : source.text };
  }
  const asked = resolve(source.path);
  try {
    const path = await realpath(asked);
    // Its size is checked first: a file of gigabytes would be in memory before it could be refused.
    const { size } = await stat(path);
    const tooLarge = refuseTooLarge(size, { name: source.path, problems });
    return { path, base: dirname(path), remote: null, bytes: tooLarge ? Buffer.alloc(0) : await readFile(path) };
  } catch (error) {
    const message = `The manifest ${showValue(asked, 300)} ${explainReadError(error)}.`;
    const at = { line: null, column: null };
    const hint = (error as NodeJS.ErrnoException).code === 'ENOENT' ? await missingHint(asked) : {};
    problems.add({ code: 'manifest-unreadable', at, value: source.path, message, ...hint });
    return { path: asked, base: dirname(asked), remote: null, bytes: Buffer.alloc(0) };
  }
}

/** Manifests beside a missing one, which may have been meant. */
async function missingHint(path: string): Promise<{ hint?: string }> {
  const beside = await readdir(dirname(path)).catch(() => null);
  if (beside === null) return { hint: `There is no folder ${showValue(dirname(path), 300)} either; check the path.` };
  const names = beside.filter((name) => /\.(?:csv|ya?ml|xlsx)$/iu.test(name) && !name.startsWith('.'));
  const near = nearest(basename(path), names);
  if (near !== undefined) return { hint: `Did you mean “${showValue(near)}”?` };
  if (names.length === 0) return {};
  const more = names.length > NAMED ? ', …' : '';
  const shown = names
    .sort()
    .slice(0, NAMED)
    .map((name) => showValue(name));
  return { hint: `Check the path. In that folder are: ${shown.join(', ')}${more}` };
}

const NAMED = 5;

/** Whether a manifest or sheet of this many bytes is refused, which is reported. */
export function refuseTooLarge(
  bytes: number,
  { name, at, problems }: { name: string; at?: Place; problems: ProblemList },
): boolean {
  if (bytes <= MAX_MANIFEST_BYTES) return false;
  const size = `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
  const message = `${showValue(name, 300)} has ${size}; at most ${MAX_MANIFEST_BYTES / 1024 / 1024} MiB are read.`;
  problems.add({ code: 'manifest-too-large', at: at ?? { line: null, column: null }, value: name, message });
  return true;
}

/** Why a file can't be read, completing “The file …”. */
export function explainReadError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'isn’t there',
    ENOTDIR: 'isn’t there',
    EISDIR: 'is a folder',
    EACCES: 'can’t be read: permission denied',
    ELOOP: 'can’t be read: its links go in a circle',
  };
  return words[code] ?? `can’t be read (${code})`;
}

const YAML_START = /^(?:---|%YAML|\{|(?:version|campaign|videos|defaults|timezone|x-[\w-]*)\s*:)/;

/**
 * Whether the first significant line starts a YAML manifest. Line by line: a single pattern for everything would
 * backtrack endlessly.
 */
function startsAsYaml(text: string): boolean {
  let from = text.startsWith('\ufeff') ? 1 : 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, Math.min(end === -1 ? text.length : end, from + 200)).trim();
    if (line !== '' && !line.startsWith('#')) return YAML_START.test(line);
    if (end === -1) return false;
    from = end + 1;
  }
  return false;
}

/** The format by the file's extension, or by its content if there is none (stdin). */
export function formatOf(path: string, text: string): 'csv' | 'yaml' {
  const ending = extname(path).toLowerCase();
  if (['.yaml', '.yml', '.json'].includes(ending)) return 'yaml';
  if (['.csv', '.tsv', '.tab'].includes(ending)) return 'csv';
  return startsAsYaml(text) ? 'yaml' : 'csv';
}
