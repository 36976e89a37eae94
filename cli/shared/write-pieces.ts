import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Maximum number of links followed to a file that doesn't exist yet. */
const MAX_LINKS = 40;

/**
 * Writes a text, or bytes, in pieces to a path. A file appears under its name only when it is complete, and a new one
 * is readable only by its owner, since the user's own columns may contain signed addresses. A symbolic link stays a
 * link. A device or a pipe is written to directly and never replaced.
 */
export async function writePieces(path: string, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const there = await stat(path).catch(ignoreMissing);
  // This process's own files, such as /dev/stdout: a rename would not affect what is open. /dev/shm is a disk.
  if (/^\/(?:dev\/(?:fd\/|stdout$|stderr$)|proc\/)/u.test(path) || (there !== null && !there.isFile())) {
    await pipeline(Readable.from(pieces), createWriteStream(path, { flags: 'w' }));
    return;
  }
  const target = await targetOf(path);
  await mkdir(dirname(target), { recursive: true });
  // In a folder that others can write to, a guessable name might be their link to another file.
  const temporary = `${target}.${randomUUID()}.part`;
  const mode = there === null ? 0o600 : there.mode & 0o777;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary, { mode, flags: 'wx' }));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Resolves symbolic links, even to a file that doesn't exist yet. */
async function targetOf(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const next: string | null = await readlink(target).catch(() => null);
    if (next === null) return target;
    target = resolve(dirname(target), next);
  }
  throw new Error(`${path}: too many symbolic links`);
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
