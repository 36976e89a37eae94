import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Log } from '../../activities/deps';
import { type LogLevel } from '../terminal/log-flags';
import { type Output } from '../terminal/output';

const LARGEST_BYTES = 10_000_000;
/** The SDK's warning about queues that carry only activities, which is intended. */
const EXPECTED = 'No workflows registered';

/**
 * The worker's log: JSON lines in a file of the home (rotated once when it grows past 10 MB), and on standard error
 * what the command's log flags select. Without such flags, warnings and errors are printed if the worker is the purpose
 * of the command (`say`). Known secrets are masked in both.
 */
export function workerLog(path: string, output: Output, say: boolean): Log {
  let queue: Promise<void> = prepare(path);
  const style = output.logStyle ?? { format: 'text', level: 'warn' };
  const said = say || output.logStyle !== null;
  const write = (level: LogLevel, message: string, fields?: Record<string, unknown>): void => {
    if (level !== 'debug' || style.level === 'debug') {
      const line = output.mask(JSON.stringify({ at: new Date().toISOString(), level, message, ...fields }));
      // A full disk must not stop the worker: its outcomes are in the ledger.
      queue = queue.then(() => appendFile(path, `${line}\n`, { mode: 0o600 })).catch(() => undefined);
    }
    if (said && !message.startsWith(EXPECTED)) output.log(level, message, fields);
  };
  return {
    debug: (message, fields) => {
      write('debug', message, fields);
    },
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
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LARGEST_BYTES) await rename(path, `${path}.1`);
}
