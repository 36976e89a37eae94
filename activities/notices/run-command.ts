import { type ChildProcess, spawn } from 'node:child_process';
import { type Log } from '../deps';
import { notSent } from './not-sent';
import { type NoticeSettings } from './find-notices';

const SAID_AT_MOST = 2_000;
/** What it said last may come after its end, ms. */
const LAST_WORDS_MS = 200;

/** The JSON goes to its standard input; no shell reads anything of it. Ended with all it started when the signal aborts. */
export async function runCommand(
  { command, folder, env }: NoticeSettings & { command: readonly string[] },
  json: string,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const [program = '', ...args] = command;
  // A group of its own, so that what a script started can be ended with it.
  const child = spawn(program, args, { cwd: folder, env, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  const kill = (): void => {
    killGroup(child);
  };
  signal.addEventListener('abort', kill);
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said = (said + piece.toString()).slice(-SAID_AT_MOST);
  });
  // One that doesn't read its input closes it: that is its business.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${json}\n`);
  try {
    const { code, killedBy } = await endOf(child);
    if (code === 0) return;
    // What it said may be anything: it stays on this machine.
    log.warn('the notice’s command failed', { code, signal: killedBy, said });
    throw notSent(`the notice’s command ended with ${killedBy ?? `code ${String(code)}`}`);
  } finally {
    signal.removeEventListener('abort', kill);
    child.stderr.destroy();
  }
}

/** Its own end: what it left in the background may hold its outputs open for as long as it likes. */
function endOf(child: ChildProcess): Promise<{ code: number | null; killedBy: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(notSent(`the notice’s command could not be started (${error.code ?? error.name})`));
    });
    child.on('exit', (code, killedBy) => {
      const done = (): void => {
        clearTimeout(timer);
        resolve({ code, killedBy });
      };
      const timer = setTimeout(done, LAST_WORDS_MS);
      child.once('close', done);
    });
  });
}

function killGroup(child: ChildProcess): void {
  try {
    // Where there are no groups (Windows), only itself.
    if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
