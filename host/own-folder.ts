import { chmod, stat } from 'node:fs/promises';

/** A folder of this user's that others may read or write becomes its user's alone. One of another user stays as it is. */
export async function narrowOwnFolder(path: string): Promise<void> {
  const { uid, mode } = await stat(path);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) await chmod(path, mode & 0o700);
}
