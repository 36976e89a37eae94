import { type SandboxOptions } from './options';
import { startSandbox } from './server';

export interface SandboxProcessOptions extends SandboxOptions {
  /** Ends when standard input closes, so that it never outlives a parent that holds it open. @default true */
  endWithStdin?: boolean;
}

/**
 * Runs the sandbox as this process: prints `{"baseUrl":…,"apiKey":…}` as one line on stdout once it listens, and resolves
 * when it has ended: by SIGTERM, SIGINT, or the end of standard input. Sets no exit code.
 *
 * @throws what startSandbox throws, before anything is printed.
 */
export async function runSandboxProcess(options: SandboxProcessOptions = {}): Promise<void> {
  const { endWithStdin = true, ...rest } = options;
  const sandbox = await startSandbox(rest);
  const ended = new Promise<void>((resolve) => {
    const end = (): void => resolve();
    process.once('SIGTERM', end).once('SIGINT', end);
    if (endWithStdin) process.stdin.once('end', end).once('close', end).once('error', end).resume();
  });
  // A parent that has ended closes stdout too; its end is noticed on stdin.
  process.stdout.on('error', () => undefined);
  process.stdout.write(`${JSON.stringify({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })}\n`);
  await ended;
  process.stdin.pause();
  await sandbox.close();
}
