import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Checks a file's sha256 (hex).
 * @throws Error naming both sums if it differs
 */
export async function expectHash(path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest('hex');
  if (actual !== sha256) throw new Error(`checksum differs: expected sha256 ${sha256}, got ${actual}`);
}
