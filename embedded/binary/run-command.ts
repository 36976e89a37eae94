import { spawn } from 'node:child_process';
import { bareEnvironment } from '../../host/child-environment';

export interface CommandResult {
  /** Null if it could not be started or was ended by a signal. */
  code: number | null;
  stdout: string;
  /** Last lines of its error output, or why it could not be started. Credentials in addresses are masked. */
  problem: string;
}

/** Runs a command to its end without a shell or any secret in its environment; never throws. Output is kept up to 64 KiB. */
export async function runCommand(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    let timedOut = false;
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      env: bareEnvironment(env, { network: true, pip: true }),
    });
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => (stdout = (stdout + chunk.toString()).slice(-65_536)));
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-65_536)));
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ code: null, stdout, problem: error.code === 'ENOENT' ? 'not found' : error.message });
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const last = tail(stderr) || tail(stdout) || (signal ? `ended by ${signal}` : `ended with code ${String(code)}`);
      resolve({ code, stdout, problem: timedOut ? `it did not end within ${Math.round(timeoutMs / 1000)} s` : last });
    });
  });
}

function tail(text: string): string {
  const lines = text.trim().split(/\r?\n/).slice(-2).join(' ');
  return lines.replace(/\/\/[^/@\s]+@/g, '//***@').slice(0, 400);
}
