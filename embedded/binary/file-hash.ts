import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Bytes read at once: with the usual 64 KiB, reading takes twice the time. */
const CHUNK = 1024 * 1024;

/**
 * Checks a file's sha256 (hex).
 * @throws Error naming both sums if it differs
 */
export async function expectHash(path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: CHUNK }), hash);
  const actual = hash.digest('hex');
  if (actual !== sha256) throw new Error(`checksum differs: expected sha256 ${sha256}, got ${actual}`);
}
