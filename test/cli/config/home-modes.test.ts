import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteWritten } from '../../../cli/shared/own-files';
import { confirmKeyVariable } from '../../../cli/config/key-variables';
import { workerLog } from '../../../cli/stack/worker-log';
import { runCli } from '../../../cli/run-cli';
import { Output } from '../../../cli/terminal/output';
import { openLedger } from '../../../ledger/open';
import { CapturedStream } from '../capture';

let folder: string;
let home: string;
let before: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-modes-'));
  home = join(folder, 'data', 'home');
  before = process.umask(0);
});
afterEach(async () => {
  process.umask(before);
  await rm(folder, { recursive: true, force: true });
});

/** 0 for one that is gone: the database removes files of its own when the last process closes it. */
async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Every path of the home, the folder itself included, that others may read or write. */
async function open(): Promise<string[]> {
  const paths = [home, ...(await readdir(home, { recursive: true })).map((name) => join(home, name))];
  const modes = await Promise.all(paths.map(async (path) => [path, await modeOf(path)] as const));
  return modes.filter(([, mode]) => (mode & 0o077) !== 0).map(([path]) => path);
}

test('the list of written results makes the home for its user alone', async () => {
  const file = join(folder, 'out.csv');
  await writeFile(file, 'a');
  await noteWritten(home, file);
  expect(await open()).toEqual([]);
});

test('a confirmed variable makes the home for its user alone', async () => {
  await confirmKeyVariable('SHOP_TOKEN', home);
  expect(await open()).toEqual([]);
});

test('the ledger makes the home for its user alone', async () => {
  const ledger = await openLedger({ path: join(home, 'ledger.db') });
  expect(await open()).toEqual([]);
  await ledger.close();
});

test.each([['status'], ['results'], ['list'], ['ledger', 'status']])(
  'a home that others can read becomes its user’s alone with `%s`',
  async (...args) => {
    const ledger = await openLedger({ path: join(home, 'ledger.db') });
    await ledger.close();
    await chmod(home, 0o755);
    const stream = new CapturedStream();
    await runCli([...args, '--home', home], { stdout: stream, stderr: stream });
    expect(await open()).toEqual([]);
  },
);

test('the worker’s log makes the home for its user alone', async () => {
  const stream = new CapturedStream();
  const output = new Output({
    stdout: stream,
    stderr: stream,
    format: 'text',
    environment: { noColor: true, dumb: true },
  });
  workerLog(join(home, 'worker.log'), output, false).warn('written', {});
  const log = join(home, 'worker.log');
  while ((await stat(log).catch(() => null))?.size === undefined) await new Promise((done) => setTimeout(done, 5));
  expect(await open()).toEqual([]);
});
