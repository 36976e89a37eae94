import { fstatSync } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { LedgerNotDurableError } from '../model/errors';

/**
 * Brings what SQLite has committed to the disk. SQLite could do it itself (`synchronous = full`), but would hold the event
 * loop meanwhile, and waiting for the disk is most of what a commit costs. The write-ahead log carries none of SQLite's
 * locks, so that a second handle on it is safe.
 */
export class WalSync {
  /** Opened once, however many flush at the same time. */
  private file: Promise<FileHandle> | undefined;
  private failure: LedgerNotDurableError | undefined;

  /** `database` is the path of the database, or `:memory:`, where there is nothing to do. */
  constructor(private readonly database: string) {}

  /**
   * All that was committed before is durable when it resolves.
   * @throws LedgerNotDurableError, from then on each time: after a failed sync nobody knows what the disk has
   */
  async flush(): Promise<void> {
    this.demandWhole();
    if (this.database === ':memory:') return;
    try {
      this.file ??= openLog(this.database);
      const file = await this.file;
      await file.datasync();
      if (fstatSync(file.fd).nlink === 0) throw new Error('its write-ahead log was deleted by another program');
    } catch (error) {
      this.failure = new LedgerNotDurableError(this.database, { cause: error });
      throw this.failure;
    }
  }

  /** @throws LedgerNotDurableError after a failed sync */
  demandWhole(): void {
    if (this.failure) throw this.failure;
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
