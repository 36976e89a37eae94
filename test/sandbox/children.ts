import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { type SandboxProcessOptions } from '../../sandbox/process';
import { type Service } from './client';

export interface ChildSandbox extends Service {
  child: ChildProcess;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const open = new Set<ChildProcess>();

/** Ends what a test left running; use in afterEach. */
export function endChildren(): void {
  for (const child of open) child.kill('SIGKILL');
}

/** Runs the sandbox as a separate process, with its standard input held open. */
export async function startChild(options: SandboxProcessOptions): Promise<ChildSandbox> {
  const child = spawn(process.execPath, [join(__dirname, 'ts-child.js'), join(__dirname, 'run-child.ts')], {
    env: { ...process.env, SANDBOX_OPTIONS: JSON.stringify(options) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  open.add(child);
  const exited = new Promise<Awaited<ChildSandbox['exited']>>((resolve) => {
    child.once('exit', (code, signal) => {
      open.delete(child);
      resolve({ code, signal });
    });
  });
  const ready = new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const line = await Promise.race([
    ready,
    exited.then(({ code }) => Promise.reject(new Error(`exit ${String(code)}`))),
  ]);
  return { ...(JSON.parse(line) as Service), child, exited };
}
