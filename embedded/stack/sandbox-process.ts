import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { bareEnvironment } from '../../host/child-environment';
import { identifyProcess, type ProcessIdentity } from '../../host/process-identity';
import { StackStartError } from '../errors';
import { endProcess } from '../server/supervised-process';

const READY_MS = 30_000;
const STOP_MS = 5_000;

/**
 * How to start the sandbox: a command that prints one JSON line `{"baseUrl": …, "apiKey": …}` when it is ready, and
 * ends when its stdin closes.
 */
export interface SandboxStackOptions {
  command: string;
  args: readonly string[];
}

export interface SandboxProcess {
  baseUrl: string;
  apiKey: string;
  identity: ProcessIdentity;
  gone: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the sandbox as a separate process, with stderr in `sandbox.log`. It isn't restarted when it ends.
 * @throws StackStartError if it ends or prints nothing readable within 30 s
 */
export async function startSandboxProcess(options: SandboxStackOptions, home: string): Promise<SandboxProcess> {
  const logPath = join(home, 'sandbox.log');
  const log = await open(logPath, 'w', 0o600);
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['pipe', 'pipe', log.fd],
    env: bareEnvironment(process.env),
    windowsHide: true,
  });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const gone = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${String(code)}`));
  });
  failed.catch(() => undefined);
  await log.close();
  child.stdin?.on('error', () => undefined);
  const stop = async (): Promise<void> => {
    child.stdin?.end();
    await Promise.race([gone, failed.catch(() => undefined), sleep(STOP_MS, undefined, { ref: false })]);
    const identity = child.pid === undefined || child.exitCode !== null ? null : identifyProcess(child.pid);
    if (identity !== null) await endProcess(identity, 2_000);
  };
  try {
    const ready = firstLine(child.stdout as NodeJS.ReadableStream);
    const early = gone.then((how) => Promise.reject(new Error(`it ${how}`)));
    early.catch(() => undefined);
    const late = sleep(READY_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`it printed nothing within ${READY_MS / 1000} s`)),
    );
    late.catch(() => undefined);
    const { baseUrl, apiKey } = parseReady(await Promise.race([ready, early, failed, late]));
    const identity = child.pid === undefined ? null : identifyProcess(child.pid);
    if (identity === null) throw new Error(`it ${await gone}`);
    return { baseUrl, apiKey, identity, gone, stop };
  } catch (error) {
    await stop();
    const tail = (await readFile(logPath, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n').slice(-1500);
    throw new StackStartError(
      `The sandbox did not start: ${error instanceof Error ? error.message : String(error)}${tail ? `\n${tail}` : ''}`,
      `Its log is ${logPath}.`,
      { cause: error },
    );
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  // Later lines are read too, because a full pipe would block the sandbox.
  const lines = createInterface({ input: stream });
  return new Promise((resolve) => lines.once('line', resolve));
}

function parseReady(line: string): { baseUrl: string; apiKey: string } {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    said = null;
  }
  const { baseUrl, apiKey } = (said ?? {}) as { baseUrl?: unknown; apiKey?: unknown };
  if (typeof baseUrl !== 'string' || typeof apiKey !== 'string') {
    throw new Error('its first line is not JSON with baseUrl and apiKey');
  }
  return { baseUrl, apiKey };
}
