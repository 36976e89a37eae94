import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A file changed this long ago has settled, ms. */
export const SETTLED_MS = 10_000;
/** Between two reads of files that changed recently, ms. */
const RECHECK_MS = 1_000;
/** Older files are read only once, ms. */
const LATELY_MS = 15 * 60_000;

/**
 * Which of these files are still being written: changed a moment ago, different at a second read, or open for writing
 * in a process of this machine (according to /proc, if it exists). A file that can't be read isn't among them.
 */
export async function stillWritten(paths: readonly string[], settledMs: number = SETTLED_MS): Promise<Set<string>> {
  const unsettled = new Set<string>();
  const lately = new Map<string, string>();
  for (const path of paths) {
    const seen = await look(path);
    if (seen === null) continue;
    const age = Date.now() - seen.modifiedMs;
    if (age >= 0 && age < settledMs) unsettled.add(path);
    // A time in the future comes from another machine's clock: then only a second read shows it.
    else if (age < LATELY_MS) lately.set(path, seen.mark);
  }
  if (lately.size > 0) {
    await sleep(RECHECK_MS);
    for (const [path, mark] of lately) if ((await look(path))?.mark !== mark) unsettled.add(path);
  }
  const rest = paths.filter((path) => !unsettled.has(path));
  for (const path of await openForWriting(rest)) unsettled.add(path);
  return unsettled;
}

async function look(path: string): Promise<{ modifiedMs: number; mark: string } | null> {
  const found = await stat(path).catch(() => null);
  return found === null ? null : { modifiedMs: found.mtimeMs, mark: `${found.size} ${found.mtimeMs} ${found.ino}` };
}

async function openForWriting(paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0 || process.platform !== 'linux') return [];
  const wanted = new Map<string, string>();
  for (const path of paths) wanted.set(await realpath(path).catch(() => path), path);
  const found = new Set<string>();
  for (const pid of await list('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    // Other users' processes can't be looked into.
    for (const fd of await list(`/proc/${pid}/fd`)) {
      const path = wanted.get(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''));
      if (path === undefined || found.has(path)) continue;
      const info = await readFile(`/proc/${pid}/fdinfo/${fd}`, 'utf8').catch(() => '');
      const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8);
      // O_WRONLY or O_RDWR
      if ((flags & 3) !== 0) found.add(path);
    }
  }
  return [...found];
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
