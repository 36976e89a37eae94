import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** What an owner sends to processes that attach. It is sent only over the socket, never written to a file. */
export interface StackInfo {
  namespace: string;
  temporal: { address: string; webUi: string | null };
  sandbox: { baseUrl: string; apiKey: string } | null;
}

export interface ControlServer {
  path: string;
  /** Number of open connections that have introduced themselves. */
  count(): number;
  /** Calls back after each change of `count`. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

/** Longest path (bytes) of a Unix socket that works everywhere. */
const LONGEST = 100;

/** Listens for processes that attach; each is attached for as long as its connection is open. */
export async function listenControl(home: string, info: StackInfo): Promise<ControlServer> {
  const path = await socketPath(home);
  // Only the home's owner gets here, so an existing file was left by a killed owner.
  if (process.platform !== 'win32') await rm(path, { force: true });
  const attached = new Set<Socket>();
  const everyone = new Set<Socket>();
  const listeners: (() => void)[] = [];
  const changed = (): void => listeners.forEach((listener) => listener());
  const server = createServer((socket) => {
    everyone.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      everyone.delete(socket);
      if (attached.delete(socket)) changed();
    });
    socket.once('data', () => {
      attached.add(socket);
      socket.write(`${JSON.stringify(info)}\n`);
      changed();
    });
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(path, done);
  });
  if (process.platform !== 'win32') await chmod(path, 0o600);
  return {
    path,
    count: () => attached.size,
    onChange: (listener) => void listeners.push(listener),
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const socket of everyone) socket.destroy();
      await closed;
      // A folder that was created for a long path is removed with it; a home, with its other files, is not.
      if (process.platform !== 'win32' && !path.startsWith(resolve(home)))
        await rmdir(dirname(path)).catch(() => undefined);
    },
  };
}

export interface ControlConnection {
  info: StackInfo;
  /** Resolves when the other end has closed. */
  closed: Promise<void>;
  close(): void;
}

/** `unreachable`: no process listens there. `silent`: one does and doesn't answer in time (ms). */
export async function connectControl(
  path: string,
  answerMs: number,
): Promise<ControlConnection | 'unreachable' | 'silent'> {
  return new Promise((done) => {
    const socket = connect(path);
    const timer = setTimeout(() => {
      socket.destroy();
      done('silent');
    }, answerMs);
    const closed = new Promise<void>((gone) => socket.once('close', () => gone()));
    socket.once('connect', () => socket.write('hello\n'));
    socket.on('error', () => undefined);
    void closed.then(() => {
      clearTimeout(timer);
      done('unreachable');
    });
    createInterface({ input: socket })
      .once('line', (line) => {
        clearTimeout(timer);
        done({ info: JSON.parse(line) as StackInfo, closed, close: () => socket.destroy() });
      })
      .on('error', () => undefined);
  });
}

async function socketPath(home: string): Promise<string> {
  const hash = createHash('sha256').update(resolve(home)).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\reelay-${hash}`;
  const path = resolve(home, 'control.sock');
  if (Buffer.byteLength(path) <= LONGEST) return path;
  const { uid } = userInfo();
  const folder = join(tmpdir(), `reelay-${uid}-${hash}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Any user may create folders there: one that isn't ours could be a trap.
  const info = await lstat(folder);
  if (!info.isDirectory() || info.uid !== uid || (info.mode & 0o077) !== 0) {
    throw new Error(`${folder} belongs to another user or is open to others: remove it, or name a shorter REELAY_HOME`);
  }
  return join(folder, 'control.sock');
}
