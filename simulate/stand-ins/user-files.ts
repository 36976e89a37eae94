import { type FileChange } from '../world/world';

/** A person's file: a video, whose bytes are its version, or a manifest with its text. */
interface UserFile {
  text: string | null;
  size: number;
  modifiedMs: number;
  inode: number;
  /** 1: as it was when the manifest was accepted. */
  version: number;
}

/** The files of one device. Each read is counted: a change happens right before one of them. */
export class UserFiles {
  private readonly files = new Map<string, UserFile>();
  private readonly looks = new Map<string, number>();
  private inodes = 0;

  constructor(
    /** ms since the epoch */
    private readonly now: () => number,
    private readonly changeAt: (path: string, look: number) => FileChange['becomes'] | undefined = () => undefined,
  ) {}

  /** Creates a file, or overwrites it. */
  write(path: string, text: string | null, size = text?.length ?? 0): void {
    const inode = this.files.get(path)?.inode ?? (this.inodes += 1);
    this.files.set(path, { text, size, modifiedMs: this.now(), inode, version: 1 });
  }

  /** The file at a path right now, after the changes that happen before this read. @throws ENOENT */
  look(path: string): UserFile {
    this.count(path);
    const file = this.files.get(path);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    return file;
  }

  /** The same through an open handle: it stays that file, whatever is at its path now. */
  lookAgain(path: string, file: UserFile): UserFile {
    if (this.files.get(path) === file) this.count(path);
    return file;
  }

  private count(path: string): void {
    const look = (this.looks.get(path) ?? 0) + 1;
    this.looks.set(path, look);
    this.change(path, this.changeAt(path, look));
  }

  private change(path: string, becomes: FileChange['becomes'] | undefined): void {
    const file = this.files.get(path);
    if (file === undefined || becomes === undefined) return;
    if (becomes === 'gone') {
      this.files.delete(path);
      return;
    }
    file.version += 1;
    file.modifiedMs = this.now();
    if (becomes === 'longer') file.size += 1_000;
    if (becomes === 'shorter') file.size = Math.floor(file.size / 3);
    if (becomes === 'replaced') this.files.set(path, { ...file, inode: (this.inodes += 1) });
  }
}

const state: { current: UserFiles } = { current: new UserFiles(() => 0) };

export function useFiles(files: UserFiles): void {
  state.current = files;
}

function stats({ size, modifiedMs, inode }: UserFile, bigint: boolean) {
  const kind = { isFile: () => true, isDirectory: () => false };
  if (!bigint) return { ...kind, size, mtimeMs: modifiedMs, ino: inode, dev: 1 };
  return { ...kind, size: BigInt(size), mtimeNs: BigInt(Math.round(modifiedMs * 1e6)), ino: BigInt(inode), dev: 1n };
}

function opened(path: string) {
  const file = state.current.look(path);
  return {
    stat: async () => stats(state.current.lookAgain(path, file), true),
    read: async (buffer: Buffer, at: number, length: number, offset: number) => {
      const { size, version } = state.current.lookAgain(path, file);
      const bytesRead = Math.max(Math.min(length, size - offset), 0);
      buffer.fill(version, at, at + bytesRead);
      return { bytesRead };
    },
    close: async (): Promise<void> => undefined,
  };
}

/** Replaces `node:fs/promises`, for videos and manifests. */
export const userDisk = {
  stat: async (path: string, options?: { bigint?: boolean }) =>
    stats(state.current.look(path), options?.bigint === true),
  open: async (path: string) => opened(path),
  realpath: async (path: string): Promise<string> => path,
  readFile: async (path: string): Promise<Buffer> => Buffer.from(state.current.look(path).text ?? '', 'utf8'),
  readdir: async (path: string): Promise<string[]> => {
    throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  },
};
