import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { bareEnvironment } from '../../host/child-environment';
import { identifyProcess, isProcessAlive, type ProcessIdentity } from '../../host/process-identity';

/** How long (ms) a command may take to end after SIGTERM. */
const GRACE_MS = 5_000;

/** A command that a supervisor runs: it ends when this process does, however that ends. */
export interface SupervisedProcess {
  identity: ProcessIdentity;
  supervisor: ProcessIdentity | null;
  /** Resolves when the command has ended, with how it ended. */
  gone: Promise<string>;
  /** SIGTERM, and SIGKILL after 5 s. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a command under a supervisor, in its own process group, so that a terminal's Ctrl-C doesn't reach it.
 * @param log receives the command's stdout and stderr
 * @throws Error if it can't be started
 */
export async function startSupervised(
  command: string,
  args: readonly string[],
  log: FileHandle,
): Promise<SupervisedProcess> {
  const order = JSON.stringify({ command, args, graceMs: GRACE_MS });
  const supervisor = spawn(process.execPath, [join(__dirname, 'supervisor.js'), order], {
    detached: true,
    stdio: ['pipe', 'pipe', log.fd],
    // Keys, notice addresses, the parent's debugger: neither the supervisor nor its command needs them.
    env: bareEnvironment(process.env),
    windowsHide: true,
  });
  supervisor.stdin?.on('error', () => undefined);
  let end: string | undefined;
  const pid = await new Promise<number>((resolve, reject) => {
    supervisor.on('error', reject);
    supervisor.on('exit', () => reject(new Error(`${command} could not be started: its supervisor ended`)));
    createInterface({ input: supervisor.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line) as { pid?: number; error?: string; exit?: number | null; signal?: string | null };
      if (said.error !== undefined) reject(new Error(`${command} could not be started: ${said.error}`));
      else if (said.pid !== undefined) resolve(said.pid);
      else end = said.signal ? `ended by ${said.signal}` : `ended with code ${String(said.exit)}`;
    });
  });
  const identity = identifyProcess(pid);
  const gone = waitForEnd(supervisor, identity).then(() => end ?? 'was killed');
  // It had ended before it could be looked at.
  if (identity === null) throw new Error(`it ${await gone}`);
  return {
    identity,
    supervisor: supervisor.pid === undefined ? null : identifyProcess(supervisor.pid),
    gone,
    async stop() {
      supervisor.stdin?.end();
      if (await endsWithin(gone, GRACE_MS + 2_000)) return;
      await endProcess(identity);
      supervisor.kill('SIGKILL');
    },
  };
}

/**
 * When the supervisor ends, the command has ended; but if the supervisor is killed, the command may still run and is
 * watched by its pid.
 */
async function waitForEnd(supervisor: ChildProcess, identity: ProcessIdentity | null): Promise<void> {
  if (supervisor.exitCode === null && supervisor.signalCode === null) {
    await new Promise<void>((resolve) => supervisor.once('close', () => resolve()));
  }
  while (identity !== null && isProcessAlive(identity) === 'alive') await sleep(200);
}

/**
 * Ends a process whose identity is proven: SIGTERM, and SIGKILL if it stays.
 * @returns false if it isn't known from here whether it is alive (another host or container)
 */
export async function endProcess(identity: Omit<ProcessIdentity, 'id'>, graceMs = GRACE_MS): Promise<boolean> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const state = isProcessAlive(identity);
    if (state !== 'alive') return state === 'dead';
    try {
      process.kill(identity.pid, signal);
    } catch {
      // It ended in between, or the pid belongs to another process now: the next check of the loop shows it.
    }
    const deadline = Date.now() + graceMs;
    while (isProcessAlive(identity) === 'alive' && Date.now() < deadline) await sleep(50);
  }
  return isProcessAlive(identity) === 'dead';
}

async function endsWithin(gone: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([gone.then(() => true), late]);
  timer.abort();
  return ended;
}
