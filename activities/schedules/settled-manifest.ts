import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';

/** A file that is the same in two reads this far apart is considered complete, ms. */
const SETTLED_MS = 2_000;
/**
 * A file that was changed this long ago needs no second read, even if the clock of its disk is somewhat behind this
 * one, ms.
 */
const LONG_AGO_MS = 60_000;
const PATIENCE_MS = 30_000;

/**
 * Waits until the file no longer changes: no person checks what a firing reads, and half a row may look like a whole
 * one. A missing file is reported elsewhere.
 * @throws ApplicationFailure, to be retried, if it keeps changing
 */
export async function untilSettled(path: string): Promise<void> {
  let before: string | null = null;
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const found = await stat(path).catch(() => null);
    // The clock of another machine's disk may be ahead: a time in the future proves nothing.
    if (found === null || Date.now() - found.mtimeMs >= LONG_AGO_MS) return;
    const seen = `${found.mtimeMs} ${found.size}`;
    if (seen === before) return;
    before = seen;
    await sleep(SETTLED_MS);
  }
  throw ApplicationFailure.create({ message: `${path} is still being written`, type: 'ManifestUnreachable' });
}
