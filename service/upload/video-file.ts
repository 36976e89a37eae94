import { open, stat, type FileHandle } from 'node:fs/promises';
import { type BigIntStats } from 'node:fs';
import { codeOf } from '../connection/connect-failure';

/** A video on this machine, with the facts from when it was checked. */
export interface FileSource {
  kind: 'file';
  path: string;
  /** In bytes. */
  size?: number;
  /** Last change, in ms since 1970. */
  modifiedMs?: number;
}

/** Something is wrong with the file itself. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/** Bytes read at once. */
const READ_SIZE = 1024 * 1024;
/** Bytes handed over at once: few enough that a slow service's progress shows within a stall limit of minutes. */
const PIECE = 64 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not there (a part of its path is no folder)',
  ELOOP: 'is a link that leads to itself',
  EMFILE: 'cannot be opened: this process has too many files open',
  EIO: 'cannot be read: its disk reports an error',
  ESTALE: 'cannot be read: its network drive lost it',
};

/** A video opened for sending. It notices if the file grows, shrinks, is written to or replaced meanwhile. */
export class VideoFile {
  private constructor(
    readonly path: string,
    readonly size: number,
    private readonly handle: FileHandle,
    private readonly opened: BigIntStats,
  ) {}

  /** @throws FileProblem if it is missing, unreadable, empty, or different from the one that was checked */
  static async open(source: FileSource): Promise<VideoFile> {
    const { path } = source;
    // Checked before opening: opening a pipe would wait for its other end.
    const before = await stat(path, { bigint: true }).catch((error: unknown) => fail(path, error));
    if (!before.isFile()) throw new FileProblem(`${path} is no regular file`);
    const handle = await open(path, 'r').catch((error: unknown) => fail(path, error));
    try {
      const opened = await handle.stat({ bigint: true });
      const size = Number(opened.size);
      if (size === 0) throw new FileProblem(`${path} is empty`);
      if (source.size !== undefined && source.size !== size) {
        throw new FileProblem(`${path} changed since it was checked: it had ${source.size} bytes and has ${size}`);
      }
      const modifiedMs = Number(opened.mtimeNs) / 1e6;
      if (source.modifiedMs !== undefined && Math.abs(modifiedMs - source.modifiedMs) >= 1) {
        throw new FileProblem(`${path} changed since it was checked: it was written to at ${at(modifiedMs)}`);
      }
      return new VideoFile(path, size, handle, opened);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Exactly `size` bytes, in order.
   * @throws FileProblem as soon as the file turns out shorter, or cannot be read
   */
  async *read(): AsyncGenerator<Buffer, void, void> {
    for (let offset = 0; offset < this.size;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(READ_SIZE, this.size - offset));
      const { bytesRead } = await this.handle
        .read(buffer, 0, buffer.length, offset)
        .catch((error: unknown) => fail(this.path, error));
      if (bytesRead === 0) {
        throw new FileProblem(`${this.path} shrank while it was sent: of ${this.size} bytes, ${offset} are left`);
      }
      offset += bytesRead;
      for (let start = 0; start < bytesRead; start += PIECE) {
        yield buffer.subarray(start, Math.min(start + PIECE, bytesRead));
      }
    }
  }

  /** @throws FileProblem naming what changed since it was opened */
  async assertUnchanged(): Promise<void> {
    const now = await this.handle.stat({ bigint: true }).catch((error: unknown) => fail(this.path, error));
    const size = Number(now.size);
    if (size !== this.size) {
      const verb = size > this.size ? 'grew' : 'shrank';
      throw new FileProblem(`${this.path} ${verb} while it was sent: from ${this.size} to ${size} bytes`);
    }
    if (now.mtimeNs !== this.opened.mtimeNs) {
      throw new FileProblem(`${this.path} was written to while it was sent, at ${at(Number(now.mtimeNs) / 1e6)}`);
    }
    const named = await stat(this.path, { bigint: true }).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') throw new FileProblem(`${this.path} was deleted or moved while it was sent`);
      return fail(this.path, error);
    });
    if (named.ino !== this.opened.ino || named.dev !== this.opened.dev) {
      throw new FileProblem(`${this.path} was replaced by another file while it was sent`);
    }
  }

  /** Waits for a read that is still going on. */
  close(): Promise<void> {
    return this.handle.close();
  }
}

function fail(path: string, error: unknown): never {
  const code = codeOf(error);
  throw new FileProblem(`${path} ${REASONS[code] ?? 'cannot be read'}${code === '' ? '' : ` (${code})`}`);
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}
