import { closeSync, fdatasync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * An append-only file of JSON lines. A line is in the file before `append` resolves; with `sync` it is on disk too, and
 * lines that arrive during one sync share the next one.
 */
export class Journal {
  readonly path: string;
  readonly #fd: number;
  readonly #sync: boolean;
  #syncing = false;
  #waiting: { resolve: () => void; reject: (cause: Error) => void }[] = [];
  #closed = false;
  #length: number;

  private constructor(path: string, fd: number, sync: boolean, length: number) {
    this.path = path;
    this.#fd = fd;
    this.#sync = sync;
    this.#length = length;
  }

  /**
   * Opens the file, creating it if needed, and returns its lines. A last line torn by a crash is cut off: its request
   * was never answered.
   * @throws Error naming file and line if an earlier line isn't JSON.
   */
  static open(path: string, sync: boolean): { journal: Journal; lines: unknown[] } {
    const fd = openSync(path, 'a+', 0o600);
    try {
      const bytes = readFileSync(path);
      const end = bytes.lastIndexOf(0x0a) + 1;
      if (end < bytes.length) ftruncateSync(fd, end);
      return { journal: new Journal(path, fd, sync, end), lines: parseLines(path, bytes.subarray(0, end)) };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Resolves once the line is written (and synced, if opened that way); rejects if the disk refuses it. */
  async append(line: unknown): Promise<void> {
    // The number of a closed descriptor may belong to another file by now.
    if (this.#closed) throw new Error(`${this.path} is closed.`);
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
      this.#length += bytes.length;
    } catch (error) {
      // Half a line from a full disk would corrupt the next one.
      ftruncateSync(this.#fd, this.#length);
      throw error;
    }
    if (!this.#sync) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#syncNext();
    });
  }

  close(): void {
    this.#closed = true;
    if (!this.#syncing) closeSync(this.#fd);
  }

  #syncNext(): void {
    if (this.#syncing || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#syncing = true;
    fdatasync(this.#fd, (error) => {
      this.#syncing = false;
      for (const { resolve, reject } of batch) {
        if (error === null) resolve();
        else reject(error);
      }
      if (this.#waiting.length > 0) this.#syncNext();
      else if (this.#closed) closeSync(this.#fd);
    });
  }
}

function parseLines(path: string, bytes: Buffer): unknown[] {
  const lines: unknown[] = [];
  for (let start = 0, number = 1; start < bytes.length; number += 1) {
    const end = bytes.indexOf(0x0a, start);
    try {
      lines.push(JSON.parse(bytes.toString('utf8', start, end)));
    } catch (cause) {
      throw new Error(
        `Line ${String(number)} of ${path} is not JSON. Restore the file, or remove the folder to start the sandbox afresh.`,
        { cause },
      );
    }
    start = end + 1;
  }
  return lines;
}
