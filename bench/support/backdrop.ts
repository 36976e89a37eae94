import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { type SandboxOptions } from '../../sandbox/options';
import { startTemporalServer } from '../../embedded/server/temporal-server';

export interface Addresses {
  temporal: string;
  namespace: string;
  service: string;
  apiKey: string;
}

/** A fresh Temporal server with its database on disk, and an instant sandbox in a separate process. */
export async function startBackdrop(
  folder: string,
  service: Pick<SandboxOptions, 'createsPerSecond' | 'faults' | 'profiles'> = {},
): Promise<{ addresses: Addresses; stop(): Promise<void> }> {
  await mkdir(folder, { recursive: true });
  const { path: binary } = await findTemporal();
  const namespace = 'reelay-bench';
  const temporal = await startTemporalServer({ binary, home: folder, namespace, onNotice: () => undefined });
  const sandbox = fork(siblingOf('sandbox-process'), [], { execArgv: process.execArgv });
  sandbox.send(service);
  const [ready] = (await once(sandbox, 'message')) as [{ baseUrl: string; apiKey: string }];
  return {
    addresses: { temporal: temporal.address, namespace, service: ready.baseUrl, apiKey: ready.apiKey },
    async stop() {
      await end(sandbox);
      await temporal.stop();
    },
  };
}

/** A file of this folder, whether it runs as TypeScript or built. */
export function siblingOf(name: string): string {
  return join(__dirname, `${name}${extname(__filename)}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
