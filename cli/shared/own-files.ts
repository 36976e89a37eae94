import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../errors/errors';

/** Number of files that are remembered, the newest ones. */
const REMEMBERED = 500;

/**
 * The files that `results --out` and ended runs wrote, by path, with their SHA-256. A file with a different one now was
 * edited.
 */
type Written = Readonly<Record<string, string>>;

/** @throws UsageError if the file has content that `results` did not write */
export async function demandOwn(home: string, path: string): Promise<void> {
  if (await isOwn(home, path)) return;
  throw new UsageError(
    `${path} exists, and has content that this command did not write`,
    'Name another file, or replace it with --force.',
  );
}

/**
 * Whether a file may be replaced: it doesn't exist, is empty, or still has exactly the content that was last written to
 * it.
 */
export async function isOwn(home: string, path: string): Promise<boolean> {
  const there = await stat(path).catch(() => null);
  if (there === null || !there.isFile() || there.size === 0) return true;
  const written = await read(home);
  return written[path] === (await hashOf(path));
}

/** The first of `results.csv`, `results-spring.3.csv`, `results-spring.3-2.csv` … that was not edited. */
export async function unedited(
  home: string,
  folder: string,
  { stem, ending, run }: { stem: string; ending: string; run: string },
): Promise<string> {
  for (let nth = 0; ; nth += 1) {
    const suffix = nth === 0 ? '' : nth === 1 ? `-${run}` : `-${run}-${String(nth)}`;
    const path = join(folder, `${stem}${suffix}.${ending}`);
    if (await isOwn(home, path)) return path;
  }
}

/** For a file that a person edited, beside which `unedited` found another name. */
export function editedText(path: string): string {
  return `${path} was edited, so it was not replaced; the new file is beside it`;
}

/** Remembers a file that was just written. */
export async function noteWritten(home: string, path: string): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there === null || !there.isFile()) return;
  const others = Object.entries(await read(home)).filter(([other]) => other !== path);
  const entries = [...others, [path, await hashOf(path)]].slice(-REMEMBERED);
  const file = placeOf(home);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.${String(process.pid)}`, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 });
  await rename(`${file}.${String(process.pid)}`, file);
}

async function read(home: string): Promise<Written> {
  try {
    return JSON.parse(await readFile(placeOf(home), 'utf8')) as Written;
  } catch {
    // Without the list, every file counts as edited, which only requires --force.
    return {};
  }
}

function placeOf(home: string): string {
  return join(home, 'results', 'written-files.json');
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
