import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A spooled outcome that could not be recorded and that a person has to look at. */
export interface QuarantinedFile {
  path: string;
  reason: string;
}

/** A file's reason is in a file beside it, with the same name and this ending. */
export const REASON_ENDING = '.reason.txt';

export function quarantineFolder(spoolFolder: string): string {
  return join(spoolFolder, 'quarantine');
}

/** The files in quarantine, by name; also the spool itself, if it can't be read. */
export async function quarantinedFiles(spoolFolder: string): Promise<QuarantinedFile[]> {
  const folder = quarantineFolder(spoolFolder);
  const files: QuarantinedFile[] = [];
  for (const each of [spoolFolder, folder]) {
    try {
      const names = await readdir(each);
      if (each !== folder) continue;
      for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
        files.push({ path: join(folder, name), reason: await reasonOf(join(folder, name)) });
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      files.push({ path: each, reason: `it can't be read: ${String(error)}` });
    }
  }
  return files;
}

async function reasonOf(path: string): Promise<string> {
  try {
    return await readFile(`${path}${REASON_ENDING}`, 'utf8');
  } catch (error) {
    return `its reason can't be read: ${String(error)}`;
  }
}
