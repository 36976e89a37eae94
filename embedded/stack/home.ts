import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessIdentity } from '../../host/process-identity';
import { narrowOwnFolder } from '../../host/own-folder';
import { StackStartError } from '../errors';
import { type OsLock, tryLock } from '../../host/os-lock';

/** The content of `stack.json` about a home's stack. It contains no key and no secret. */
export interface StackRecord {
  version: 1;
  state: 'starting' | 'ready' | 'stopping';
  owner: ProcessIdentity;
  /** ISO */
  startedAt: string;
  namespace: string;
  temporal: { address: string; webUi: string | null } | null;
  sandbox: { baseUrl: string } | null;
  /** Processes that must have ended before the next stack starts. */
  processes: readonly RecordedProcess[];
  controlSocket: string | null;
}

export interface RecordedProcess {
  role: 'temporal' | 'keeper' | 'sandbox';
  identity: ProcessIdentity;
}

/**
 * Creates the folder, readable only by its owner.
 * @throws StackStartError if that is not possible
 */
export async function prepareHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    // An existing folder, or one created under another umask: ledger, database and results are for its user alone.
    await narrowOwnFolder(home);
  } catch (error) {
    throw new StackStartError(
      `The home ${home} can't be made: ${error instanceof Error ? error.message : String(error)}`,
      'Name another folder: export REELAY_HOME=/path/to/folder',
      { cause: error },
    );
  }
}

/** Takes the home for this process, or returns null while another process has it. */
export function tryOwnHome(home: string): OsLock | null {
  try {
    return tryLock(join(home, 'owner.lock'));
  } catch (error) {
    throw new StackStartError(
      `The home ${home} can't be locked: ${error instanceof Error ? error.message : String(error)}`,
      'It has to be a writable folder on a local disk. Name another one: export REELAY_HOME=/path/to/folder',
      { cause: error },
    );
  }
}

/** The record, or null if there is none or it can't be read. */
export async function readRecord(home: string): Promise<StackRecord | null> {
  try {
    const record = JSON.parse(await readFile(recordPath(home), 'utf8')) as { [K in keyof StackRecord]?: unknown };
    const owner = record.owner as { pid?: unknown } | undefined;
    const known = record.version === 1 && typeof owner?.pid === 'number' && Array.isArray(record.processes);
    return known ? (record as unknown as StackRecord) : null;
  } catch {
    return null;
  }
}

/** Replaces the record atomically: readers see the old one or the new one. */
export async function writeRecord(home: string, record: StackRecord): Promise<void> {
  const draft = `${recordPath(home)}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, recordPath(home));
}

export async function removeRecord(home: string): Promise<void> {
  await rm(recordPath(home), { force: true });
}

function recordPath(home: string): string {
  return join(home, 'stack.json');
}
