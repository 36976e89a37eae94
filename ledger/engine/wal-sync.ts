import { fstatSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { LedgerNotDurableError, LedgerReplacedError } from '../model/errors';

/**
 * Syncs what SQLite has committed to the disk. SQLite could do this itself (`synchronous = full`), but would block the
 * event loop, and waiting for the disk is most of the cost of a commit. The write-ahead log carries none of SQLite's
 * locks, so a second handle on it is safe.
 */
export class WalSync {
  /** Opened once, however many flush at the same time. */
  private file: Promise<FileHandle> | undefined;
  private failure: Error | undefined;
  /** The database's file as SQLite has it open. */
  private opened: Stats | undefined;
  /** The file at the path is no longer the one that SQLite has open, although the log may be. */
  private detached = false;

  /** `database` is the path of the database, or `:memory:`, where there is nothing to do. */
  constructor(private readonly database: string) {}

  /**
   * Everything committed before is durable when it resolves.
   * @throws LedgerNotDurableError, from then on each time: after a failed sync the content of the disk is unknown
   * @throws LedgerReplacedError, from then on each time: writes go to a file that is never opened again
   */
  async flush(): Promise<void> {
    this.demandWhole();
    if (this.database === ':memory:') return;
    try {
      this.file ??= openLog(this.database);
      const file = await this.file;
      await file.datasync();
      this.demandInPlace(file);
    } catch (error) {
      throw this.fail(
        error instanceof LedgerReplacedError ? error : new LedgerNotDurableError(this.database, { cause: error }),
      );
    }
  }

  /** Remembers the database's file once SQLite has it open: from then on the same file must stay at its path. */
  noteFile(): void {
    this.opened = statSync(this.database, { throwIfNoEntry: false });
  }

  private demandInPlace(log: FileHandle): void {
    if (fstatSync(log.fd).nlink === 0)
      throw new LedgerReplacedError(this.database, 'its write-ahead log was deleted by another program');
    if (this.opened === undefined) return;
    const now = statSync(this.database, { throwIfNoEntry: false });
    this.detached = now?.ino !== this.opened.ino || now.dev !== this.opened.dev;
    if (now === undefined) throw new LedgerReplacedError(this.database, 'it was deleted by another program');
    if (this.detached) throw new LedgerReplacedError(this.database, 'another file was put in its place');
    // A ledger is never vacuumed, so its file only grows.
    if (now.size < this.opened.size) throw new LedgerReplacedError(this.database, 'another file was copied over it');
    this.opened = now;
  }

  /** From now on nothing is written. Returns the first failure, which has the reason. */
  fail(error: Error): Error {
    return (this.failure ??= error);
  }

  /** @throws Error after a failed sync, if the file was replaced, or if damage was found in it */
  demandWhole(): void {
    if (this.failure) throw this.failure;
  }

  /**
   * After a failed sync, the content of the log on disk is unknown, and a damaged file doesn't recover. A file that was
   * moved away takes its log with it: left behind, the log would be read as part of the file that replaced it.
   */
  get mayCheckpoint(): boolean {
    return this.failure === undefined || this.detached;
  }

  async close(): Promise<void> {
    const opened = await this.file?.catch(() => undefined);
    this.file = undefined;
    await opened?.close();
  }
}

/** SQLite keeps the log beside the file itself, not beside a link to it. */
async function openLog(database: string): Promise<FileHandle> {
  return open(`${await realpath(database)}-wal`, 'r+');
}
