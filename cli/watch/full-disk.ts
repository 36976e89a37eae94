import { dirname } from 'node:path';
import { type Ledger } from '../../ledger/ledger';
import { safeText } from '../terminal/safe-text';

/** With less free space (bytes), a database can't be relied on to take another write. */
const FULL_BYTES = 1_000_000;

/** That no worker can record anything because the disk of the ledger's file is full; null: it isn't, or not seen here. */
export async function fullDiskText(
  ledger: Pick<Ledger, 'location' | 'severalHosts'>,
  freeBytes: (folder: string) => Promise<number> = freeIn,
): Promise<string | null> {
  if (ledger.severalHosts) return null;
  const folder = dirname(ledger.location);
  if ((await freeBytes(folder)) >= FULL_BYTES) return null;
  return `the ledger’s disk is full (${safeText(folder)}), so no worker can send or record anything: free some space, and the run continues`;
}

async function freeIn(folder: string): Promise<number> {
  const { statfs } = await import('node:fs/promises');
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
