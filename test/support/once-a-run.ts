import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Path of what all files of a run share (`support/test-folder.js`). The first that needs it makes it; where several do at once,
 * the first that is done.
 */
export async function onceARun(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const shared = join(tmpdir(), name);
  if (existsSync(shared)) return shared;
  const folder = mkdtempSync(`${shared}-`);
  const own = join(folder, name);
  await make(own);
  try {
    renameSync(own, shared);
  } catch (error) {
    // A folder that isn't empty is not replaced: another one made it meanwhile.
    if (!existsSync(shared)) throw error;
  }
  rmSync(folder, { recursive: true, force: true });
  return shared;
}
