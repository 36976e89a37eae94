import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Links that are followed to a file that isn't there yet. */
const MAX_LINKS = 40;

/**
 * Writes a text, or bytes, by pieces to what a path names. A file is complete under its name, or not there at all, and is for its
 * owner only where it is new, as the user's own columns may hold signed addresses. A symbolic link stays one. A device or a
 * pipe is written to as what it is, and never replaced.
 */
export async function writePieces(path: string, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const there = await stat(path).catch(ignoreMissing);
  // This process's own files, such as /dev/stdout: a rename would not reach what is open. /dev/shm is a disk.
  if (/^\/(?:dev\/(?:fd\/|stdout$|stderr$)|proc\/)/u.test(path) || (there !== null && !there.isFile())) {
    await pipeline(Readable.from(pieces), createWriteStream(path, { flags: 'w' }));
    return;
  }
  const target = await targetOf(path);
  await mkdir(dirname(target), { recursive: true });
  // In a folder that others can write to, a name that they could guess might be a link of theirs to another file.
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

/** Where symbolic links lead, also to a file that isn't there yet. */
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
