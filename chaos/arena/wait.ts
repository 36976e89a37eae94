import { setTimeout as sleep } from 'node:timers/promises';

/** Checks repeatedly until it holds; returns false if `ms` passed first. An exception counts as not yet. */
export async function waitUntil(ms: number, holds: () => Promise<boolean> | boolean, everyMs = 100): Promise<boolean> {
  const until = Date.now() + ms;
  while (Date.now() < until) {
    try {
      if (await holds()) return true;
    } catch {
      // A server that is down right now, or a file that doesn't exist yet.
    }
    await sleep(everyMs);
  }
  return false;
}

/** @throws Error naming what it waited for */
export async function demandWithin(ms: number, what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  if (!(await waitUntil(ms, holds))) throw new Error(`${what}: not within ${ms / 1000} s`);
}
