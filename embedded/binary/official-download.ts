import { createWriteStream } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { type BinaryPin } from './binary-pins';
import { runCommand } from './run-command';

const CONNECT_MS = 10_000;
const STALL_MS = 30_000;

/**
 * Downloads the official archive (using the environment's proxy settings) and unpacks the executable into the folder.
 * @returns the executable's path
 * @throws Error if that fails
 */
export async function fetchOfficial(
  pin: BinaryPin,
  folder: string,
  env: NodeJS.ProcessEnv,
  onProgress: (text: string) => void,
): Promise<string> {
  if (pin.official === undefined) throw new Error('there is none');
  const os = platform() === 'win32' ? 'windows' : platform();
  const archive = join(folder, os === 'windows' ? 'archive.zip' : 'archive.tar.gz');
  await save(pin.official(os, arch() === 'x64' ? 'amd64' : arch()), archive, env, onProgress);
  const member = os === 'windows' ? `${pin.command}.exe` : pin.command;
  // Only the executable, whose checksum is known: the rest of the archive is not unpacked.
  const ended = await runCommand('tar', ['-xf', archive, '-C', folder, member], 120_000, env);
  if (ended.code !== 0) throw new Error(`tar: ${ended.problem}`);
  return join(folder, member);
}

async function save(
  address: string,
  path: string,
  env: NodeJS.ProcessEnv,
  onProgress: (text: string) => void,
): Promise<void> {
  const proxy = env.https_proxy ?? env.HTTPS_PROXY;
  const dispatcher = new EnvHttpProxyAgent({
    ...(proxy ? { httpsProxy: proxy } : {}),
    noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
    connect: { timeout: CONNECT_MS },
    headersTimeout: STALL_MS,
    bodyTimeout: STALL_MS,
  });
  try {
    const response = await fetch(address, { dispatcher });
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    const total = Number(response.headers.get('content-length') ?? 0);
    await pipeline(Readable.fromWeb(response.body), counter(total, onProgress), createWriteStream(path));
  } catch (error) {
    throw new Error(reason(error), { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}

/** Passes bytes on and reports every completed quarter. */
function counter(total: number, onProgress: (text: string) => void): Transform {
  let bytes = 0;
  let said = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      const quarter = total > 0 ? Math.floor((4 * bytes) / total) : 0;
      if (quarter > said) {
        said = quarter;
        onProgress(`${quarter * 25} % of ${Math.round(total / 1e6)} MB`);
      }
      done(null, chunk);
    },
  });
}

/** `fetch failed` says nothing; the innermost cause with a message does. */
function reason(error: unknown): string {
  let text = 'failed';
  let at: unknown = error;
  while (typeof at === 'object' && at !== null) {
    const { message, code, cause, errors } = at as {
      message?: string;
      code?: string;
      cause?: unknown;
      errors?: unknown[];
    };
    text = message || code || text;
    at = errors?.[0] ?? cause;
  }
  return text;
}
