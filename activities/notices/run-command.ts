import { type ChildProcess, spawn } from 'node:child_process';
import { type Log } from '../deps';
import { notSent } from './not-sent';
import { type NoticeSettings } from './find-notices';

const SAID_AT_MOST = 2_000;
/** How long after its exit its last output may arrive, ms. */
const LAST_WORDS_MS = 200;

/**
 * The JSON is written to its standard input; no shell interprets any of it. When the signal aborts, it and everything
 * it started are killed.
 */
export async function runCommand(
  { command, folder, env }: NoticeSettings & { command: readonly string[] },
  json: string,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const [program = '', ...args] = command;
  // A separate process group, so that everything a script started can be killed with it.
  const child = spawn(program, args, { cwd: folder, env, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  const kill = (): void => {
    killGroup(child);
  };
  signal.addEventListener('abort', kill);
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said = (said + piece.toString()).slice(-SAID_AT_MOST);
  });
  // A command that doesn't read its input closes it, which is fine.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${json}\n`);
  try {
    const { code, killedBy } = await endOf(child);
    if (code === 0) return;
    // Its output may contain anything, so it stays on this machine.
    log.warn('the notice’s command failed', { code, signal: killedBy, said });
    throw notSent(`the notice’s command ended with ${killedBy ?? `code ${String(code)}`}`);
  } finally {
    signal.removeEventListener('abort', kill);
    child.stderr.destroy();
  }
}

/** When the command itself exits: background processes that it left may keep its outputs open indefinitely. */
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
    // On systems without groups (Windows), only the process itself.
    if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
}
