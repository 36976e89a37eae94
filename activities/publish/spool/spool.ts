import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LedgerStateError } from '../../../ledger/model/errors';
import { type Ledger } from '../../../ledger/ledger';
import { type AttemptOutcome } from '../../../ledger/model/attempt-types';
import { type Log } from '../../deps';
import { quarantineFolder, REASON_ENDING } from './quarantine';

export interface SpooledOutcome {
  rowId: number;
  attempt: number;
  outcome: AttemptOutcome;
  /** Id of the ledger that the row belongs to; missing in files of earlier versions. */
  ledger?: string;
  /** Id of the worker that made the attempt; missing in files of earlier versions. */
  worker?: string;
}

/**
 * Outcomes that could not be written to the ledger, one synced file each, in a folder beside it. They are recorded
 * before anything is decided about a row. A file that can never be recorded is moved to quarantine with its reason, so
 * that it doesn't block the others; see `quarantine.ts`.
 */
export class Spool {
  constructor(private readonly folder: string) {}

  /** Durable when it resolves: the file and its folder are synced. */
  async add(entry: SpooledOutcome): Promise<void> {
    await keepFile(this.folder, fileName(entry), JSON.stringify(entry));
  }

  /** An outcome that the ledger refuses, stored for a person. Durable when it resolves. */
  async putAside(entry: SpooledOutcome, reason: string): Promise<void> {
    const folder = quarantineFolder(this.folder);
    await keepFile(folder, `${fileName(entry)}${REASON_ENDING}`, reason);
    await keepFile(folder, fileName(entry), JSON.stringify(entry));
  }

  /** Moves everything into the ledger. Throws if the ledger still can't be written; nothing is lost then. */
  async drainInto(ledger: Pick<Ledger, 'record' | 'id'>, log: Pick<Log, 'error'>): Promise<number> {
    let drained = 0;
    for (const name of await namesIn(this.folder, log)) {
      const path = join(this.folder, name);
      try {
        const entry = readEntry(await readFile(path, 'utf8'));
        if (entry.ledger !== undefined && entry.ledger !== ledger.id) {
          throw new UnusableFileError(`it belongs to another ledger (${entry.ledger}), this one is ${ledger.id}`);
        }
        await ledger.record(entry.rowId, entry.attempt, entry.outcome, entry.worker);
        await rm(path, { force: true });
        drained += 1;
      } catch (error) {
        // Another process of this host recorded it first.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        if (!isLasting(error)) throw error;
        await moveToQuarantine(this.folder, name, error, log);
      }
    }
    return drained;
  }
}

async function namesIn(folder: string, log: Pick<Log, 'error'>): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      log.error('the spool can’t be read; its files are recorded once it can', { error: String(error) });
    }
    return [];
  }
}

async function moveToQuarantine(folder: string, name: string, error: Error, log: Pick<Log, 'error'>): Promise<void> {
  const quarantine = quarantineFolder(folder);
  try {
    await keepFile(quarantine, `${name}${REASON_ENDING}`, error.message);
    await rename(join(folder, name), join(quarantine, name));
    log.error('a file of the spool can’t be recorded and was moved to quarantine', {
      file: name,
      error: error.message,
    });
  } catch (failure) {
    // Another process of this host moved it first.
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return;
    log.error('a file of the spool can be neither recorded nor moved to quarantine', {
      file: name,
      error: String(failure),
    });
  }
}

/** A file whose outcome can never be recorded. */
class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

/** The file can't be read by this user, or not at all; too many open files, for example, is a different case. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EISDIR', 'EIO', 'ELOOP']);

/** Whether every later try would fail too. A ledger that can't be written is expected to become writable again. */
function isLasting(error: unknown): error is Error {
  if (error instanceof UnusableFileError || error instanceof LedgerStateError) return true;
  return UNREADABLE.has((error as NodeJS.ErrnoException | null)?.code);
}

/** Text fields that an outcome of each kind must have. */
const NEEDED: Readonly<Record<AttemptOutcome['kind'], readonly string[]>> = {
  accepted: ['publicationId', 'status'],
  submitted: ['publishId', 'message'],
  rejected: ['code', 'message'],
  'never-sent': ['code', 'message'],
  'auth-refused': ['code', 'message', 'park'],
  unknown: ['code', 'message'],
};

/** The names of kinds in files of earlier versions. */
const EARLIER_KINDS: Readonly<Record<string, string>> = { access: 'auth-refused', perhaps: 'unknown' };

function readEntry(text: string): SpooledOutcome {
  let entry: { [field in keyof SpooledOutcome]?: unknown } | null;
  try {
    entry = JSON.parse(text) as typeof entry;
  } catch (error) {
    throw new UnusableFileError(`it is not JSON: ${String(error)}`, { cause: error });
  }
  const { rowId, attempt, ledger, worker } = entry ?? {};
  const given = entry?.outcome as Record<string, unknown> | undefined;
  const outcome = given && { ...given, kind: EARLIER_KINDS[String(given['kind'])] ?? given['kind'] };
  const needed = NEEDED[outcome?.kind as AttemptOutcome['kind']] as readonly string[] | undefined;
  const whole =
    Number.isSafeInteger(rowId) &&
    Number.isSafeInteger(attempt) &&
    (ledger === undefined || typeof ledger === 'string') &&
    (worker === undefined || typeof worker === 'string') &&
    needed?.every((field) => typeof (outcome as Record<string, unknown> | undefined)?.[field] === 'string') === true;
  if (!whole) throw new UnusableFileError('it does not have the fields of an outcome');
  return { ...entry, outcome } as SpooledOutcome;
}

function fileName({ rowId, attempt, ...rest }: SpooledOutcome): string {
  const hash = createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, 12);
  return `${rowId}-${attempt}-${hash}.json`;
}

async function keepFile(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    // On a full disk even an empty file would stay.
    await rm(part, { force: true });
    throw error;
  }
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
