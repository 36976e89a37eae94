import { fork, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, removeFolders } from '../support';

afterEach(removeFolders);

/** REELAY_FUZZ_SEED repeats a run, REELAY_FUZZ_SECONDS makes it longer. */
const SEED = Number(process.env['REELAY_FUZZ_SEED'] ?? randomInt(2 ** 31));
const SECONDS = Number(process.env['REELAY_FUZZ_SECONDS'] ?? 60);
/** Far more than any input of this size takes, also on a busy machine: beyond it, it hangs. */
const HANG_MS = 60_000;
const HEAP_MB = 256;

interface Summary {
  runs: number;
  slowestMs: number;
  peakMb: number;
}

/** The child works until its time is over; killed where one input takes too long. */
function watch(child: ChildProcess): Promise<{ summary: Summary | null; hung: boolean; code: number | null }> {
  return new Promise((resolve) => {
    let summary: Summary | null = null;
    let hung = false;
    const stop = (): void => {
      hung = true;
      child.kill('SIGKILL');
    };
    let timer = setTimeout(stop, HANG_MS);
    child.on('message', (message) => {
      clearTimeout(timer);
      timer = setTimeout(stop, HANG_MS);
      if (typeof message === 'object') summary = message as Summary;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ summary, hung, code });
    });
  });
}

test(
  `a minute of made-up manifests brings rows or problems: no crash, no hang, no end of memory (seed ${SEED})`,
  async () => {
    const last = join(folder(), 'last.json');
    const child = fork(join(__dirname, '..', 'fuzz-child.ts'), [String(SEED), String(SECONDS * 1000), last], {
      execArgv: [`--max-old-space-size=${HEAP_MB}`, '-r', join(__dirname, '..', '..', 'support', 'register.js')],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
    const { summary, hung, code } = await watch(child);
    const failed = hung || code !== 0 || summary === null;
    // With the seed, all of it can be had again; with the input, at once.
    const why = failed
      ? `seed ${SEED}\n${said.slice(0, 4000)}\nlast input: ${readFileSync(last, 'utf8').slice(0, 8000)}`
      : '';
    expect({ hung, code, why }).toEqual({ hung: false, code: 0, why: '' });
    expect(summary?.runs).toBeGreaterThan(100);
    expect(summary?.peakMb).toBeLessThan(700);
    if (process.env['REELAY_FUZZ_SECONDS'] !== undefined) process.stdout.write(`${JSON.stringify(summary)}\n`);
  },
  (SECONDS + 90) * 1000,
);
