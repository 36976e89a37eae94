import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Log } from '../activities/deps';
import { type Output } from './output';

const LARGEST_BYTES = 10_000_000;
/** Said by the SDK of queues that carry activities only, which is how they are meant. */
const EXPECTED = 'No workflows registered';

/**
 * The worker's log: JSON lines in a file of the home (the last one kept when it grows past 10 MB). Warnings and errors
 * are also said on standard error when the worker is what the command is about.
 */
export function workerLog(path: string, output: Output, say: boolean): Log {
  let queue: Promise<void> = prepare(path);
  const write = (level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>): void => {
    const line = output.mask(JSON.stringify({ at: new Date().toISOString(), level, message, ...fields }));
    // A full disk must not stop the worker: its outcomes are in the ledger.
    queue = queue.then(() => appendFile(path, `${line}\n`, { mode: 0o600 })).catch(() => undefined);
    if (!say || level === 'info' || message.startsWith(EXPECTED)) return;
    const detail = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
    if (level === 'warn') output.warn(`${message}${detail}`);
    else output.note(`${output.paint('red', 'error:')} ${message}${detail}`);
  };
  return {
    info: (message, fields) => {
      write('info', message, fields);
    },
    warn: (message, fields) => {
      write('warn', message, fields);
    },
    error: (message, fields) => {
      write('error', message, fields);
    },
  };
}

async function prepare(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LARGEST_BYTES) await rename(path, `${path}.1`);
}
