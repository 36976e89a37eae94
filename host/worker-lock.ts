import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type OsLock, tryLock } from './os-lock';
import { currentProcess, isProcessAlive, isSameKernel, type ProcessIdentity } from './process-identity';

/** Locks of workers that ended longer ago than this (ms) are removed; nothing unsettled is that old. */
const KEEP_MS = 30 * 24 * 3_600_000;

/** Locks that this process holds. It must not open their files again: closing one of its handles would drop the lock. */
const held = new Map<string, OsLock>();

/**
 * Holds a lock in the folder for as long as this process lives. A process id is meaningful only within its pid
 * namespace; the kernel's lock also shows a worker in another container (such as a replaced pod) whether this one has
 * ended.
 */
export function holdWorkerLock(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  sweep(folder);
  const path = lockPath(folder, currentProcess().id);
  if (held.has(path)) return;
  const lock = tryLock(path);
  if (lock === null) throw new Error(`the lock of this worker is held by another process: ${path}`);
  held.set(path, lock);
}

/**
 * Whether a worker's process still exists: by its pid on the same host, otherwise by its lock. A free lock is a proof
 * only on the kernel that held it, which releases it when the process ends; on another kernel it proves nothing. If
 * workers may be on `severalHosts`, another boot is no proof either: hosts of one image may share their ids.
 */
export function isWorkerAlive(
  folder: string,
  worker: ProcessIdentity,
  { severalHosts }: { severalHosts: boolean },
): 'alive' | 'dead' | 'unknown' {
  if (severalHosts && !isSameKernel(worker)) return 'unknown';
  const byPid = isProcessAlive(worker);
  if (byPid !== 'unknown' || !isSameKernel(worker)) return byPid;
  const path = lockPath(folder, worker.id);
  if (held.has(path)) return 'alive';
  // Workers of earlier versions have none.
  if (!existsSync(path)) return 'unknown';
  const lock = tryLock(path);
  if (lock === null) return 'alive';
  lock.release();
  return 'dead';
}

function lockPath(folder: string, workerId: string): string {
  return join(folder, `${workerId}.lock`);
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.endsWith('.lock') || held.has(path)) continue;
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined || Date.now() - info.mtimeMs < KEEP_MS) continue;
    const lock = tryLock(path);
    if (lock === null) continue;
    lock.release();
    rmSync(path, { force: true });
  }
}
