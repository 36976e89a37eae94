import { chmod, stat } from 'node:fs/promises';

/** Restricts a folder of this user that others may read or write to its user. A folder of another user stays as it is. */
export async function narrowOwnFolder(path: string): Promise<void> {
  const { uid, mode } = await stat(path);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) await chmod(path, mode & 0o700);
}
