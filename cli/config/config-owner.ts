import { lstat, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../errors/errors';

const [GROUP_WRITE, OTHER_WRITE, STICKY] = [0o020, 0o002, 0o1000];

/**
 * Refuses a config file that was found rather than named, if another user could have written or replaced it, because it
 * sets where keys are sent and which command runs.
 * @throws ConfigError
 */
export async function demandOwnConfig(path: string): Promise<void> {
  const uid = process.getuid?.();
  // Windows has no owners of this kind.
  if (uid === undefined) return;
  const real = await realpath(path);
  for (const file of new Set([path, real])) {
    const found = await lstat(file);
    if (found.uid !== uid && found.uid !== 0) throw refused(path, `${file} belongs to another user`);
    if (!found.isSymbolicLink() && isShared(found)) throw refused(path, `other users can write to ${file}`);
  }
  for (const start of new Set([dirname(path), dirname(real)])) {
    for (let folder = resolve(start); ; folder = dirname(folder)) {
      const found = await lstat(folder);
      // In a sticky folder (/tmp) other users can't rename or replace the entries of this one.
      if (!found.isSymbolicLink() && isShared(found) && (found.mode & STICKY) === 0)
        throw refused(path, `other users can write to the folder ${folder}`);
      if (found.uid !== uid && found.uid !== 0) throw refused(path, `the folder ${folder} belongs to another user`);
      if (dirname(folder) === folder) break;
    }
  }
}

/** Writable for everyone, or for a group that isn't the user's own (many systems give each user one). */
function isShared({ mode, gid }: { mode: number; gid: number }): boolean {
  return (mode & OTHER_WRITE) !== 0 || ((mode & GROUP_WRITE) !== 0 && gid !== process.getgid?.());
}

function refused(path: string, why: string): ConfigError {
  return new ConfigError(
    'config-not-yours',
    `the config ${path} was found, but is not used: ${why}`,
    `Read it first. If it is yours, name it: --config ${path}`,
  );
}
