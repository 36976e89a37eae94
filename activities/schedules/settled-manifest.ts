import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';

/** A file changed this long ago is taken for whole, ms. */
const SETTLED_MS = 2_000;
const PATIENCE_MS = 30_000;

/**
 * Waits until nobody changes the file any more: no person looks at what a firing reads, and half a row may look like a
 * whole one. A file that isn't there is somebody else's to tell.
 * @throws ApplicationFailure, worth another try, when it goes on changing
 */
export async function untilSettled(path: string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const found = await stat(path).catch(() => null);
    const age = found === null ? SETTLED_MS : Date.now() - found.mtimeMs;
    // A time in the future is another machine's clock, which tells nothing here.
    if (age >= SETTLED_MS || age < 0) return;
    await sleep(SETTLED_MS - age + 1);
  }
  throw ApplicationFailure.create({ message: `${path} is still being written`, type: 'ManifestUnreachable' });
}
