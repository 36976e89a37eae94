import { chmodSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';

/** A lock that the operating system holds for this process. */
export interface OsLock {
  release(): void;
}

/**
 * Takes the lock on a small file, or returns null if another process has it. The kernel keeps the lock while its
 * process is merely stopped and releases it however the process ends, so holding it is proof of life and getting it is
 * proof of death. Nothing else may open the file: closing any handle of it in this process could release the lock.
 */
export function tryLock(path: string): OsLock | null {
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  try {
    chmodSync(path, 0o600);
  } catch {
    // The lock holds anyway.
  }
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** Runs the work under the lock, and waits for it as long as necessary; `onWait` is called once. */
export async function withLock<T>(path: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  let lock = tryLock(path);
  if (lock === null) onWait?.();
  while (lock === null) {
    await sleep(100);
    lock = tryLock(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  return (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) || /database is locked/i.test(error.message);
}
