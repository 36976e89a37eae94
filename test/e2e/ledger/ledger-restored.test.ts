import { copyFile, readdir, rm } from 'node:fs/promises';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, type RunningCommand, until, UserMachine } from '../support/cli-process';
import { holdCreates, trust429 } from '../support/hold-creates';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

const ROWS = 40;
const FILES = ['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'ledger.seq'];

let machine: UserMachine;
let service: RunningSandbox;
let manifest: string;
let titles: string[];

/** What a kill leaves without an answer is settled soon. */
const TIMINGS = JSON.stringify({ pollMs: 250, pollMaxMs: 1_000, settleMs: 5_000, lookGapMs: 300 });

beforeEach(async () => {
  service = await startSandbox({ apiKey: 'key-of-theirs', open: { echoTitle: true } });
  machine = await UserMachine.create({
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: 'key-of-theirs',
    REELAY_TIMINGS: TIMINGS,
  });
  await trust429(machine);
  manifest = machine.path('show.csv');
  titles = await writeCampaign(manifest, ROWS);
  // A whole campaign before, so that the ledger has more than its log.
  const before = machine.path('before.csv');
  await writeCampaign(before, 2, { host: 'before.example', title: (index) => `Before ${index}` });
  expect((await machine.run(['run', before])).code).toBe(0);
});

afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await service.close();
  await machine.remove();
  expect(left).toEqual([]);
});

const created = (): number => service.log().length - 2;
const untilCreated = (running: RunningCommand, rows: number): Promise<void> =>
  until(() => {
    if (running.child.exitCode !== null) throw new Error(`ended before ${rows} rows were sent:\n${running.stderr}`);
    return created() >= rows;
  });
const start = (): RunningCommand => machine.start(['run', manifest]);
/** From this row on, nothing is accepted until the returned function is called. */
const holdFrom = (row: number): (() => void) => holdCreates(service, titles.slice(row));

async function stop(running: RunningCommand, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (signal === 'SIGKILL') running.killGroup(signal);
  else running.child.kill(signal);
  await running.ended;
  await until(async () => (await processesNaming(machine.folder)).length === 0);
}

/** Copies the existing files of the ledger. */
async function copyFiles(names: readonly string[], from: string, to: string): Promise<void> {
  const there = await readdir(from);
  for (const name of names) if (there.includes(name)) await copyFile(`${from}/${name}`, `${to}/${name}`);
}

async function putBack(names: readonly string[]): Promise<void> {
  for (const name of FILES) await rm(`${machine.home}/${name}`, { force: true });
  await copyFiles(names, machine.folder, machine.home);
}

/**
 * The command is refused, sends nothing and says what to do. Afterwards no row is sent twice: each is found again, sent
 * for the first time, or left to a person.
 */
async function expectRefusedAndReconciled(): Promise<void> {
  const sent = created();
  const refused = await machine.run(['run', manifest]);
  expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('reelay ledger reconcile')]);
  expect(created()).toBe(sent);
  const reconciled = await machine.run(['ledger', 'reconcile', '--yes', '-o', 'json']);
  expect([reconciled.code, JSON.parse(reconciled.stdout)]).toMatchObject([0, { reconciled: true }]);
  const last = await machine.run(['run', manifest, '-o', 'json']);
  const { published = 0, unconfirmed = 0 } = (JSON.parse(last.stdout) as { counts: Record<string, number> }).counts;
  expect([published + unconfirmed, last.code]).toEqual([ROWS, unconfirmed === 0 ? 0 : 6]);
  const sentTitles = service.log().map(({ title }) => title);
  expect(sentTitles.filter((title, at) => sentTitles.indexOf(title) !== at)).toEqual([]);
}

it('a backup of the run’s beginning, restored without the file beside it, sends nothing twice', async () => {
  const release = holdFrom(8);
  const running = start();
  await untilCreated(running, 8);
  expect((await machine.run(['ledger', 'backup', machine.path('ledger.db')])).code).toBe(0);
  const releaseRest = holdFrom(24);
  release();
  await untilCreated(running, 24);
  await stop(running, 'SIGINT');
  releaseRest();
  await putBack(['ledger.db']);
  await expectRefusedAndReconciled();
});

it('ledger.db alone, copied after a kill without its log, sends nothing twice', async () => {
  const release = holdFrom(32);
  const running = start();
  await untilCreated(running, 16);
  await stop(running, 'SIGKILL');
  release();
  await copyFiles(['ledger.db'], machine.home, machine.folder);
  await putBack(['ledger.db']);
  await expectRefusedAndReconciled();
});

it('a plain copy of all its files, restored within the same run, sends nothing twice', async () => {
  const release = holdFrom(16);
  const first = start();
  await untilCreated(first, 8);
  await stop(first, 'SIGINT');
  await copyFiles(FILES, machine.home, machine.folder);
  const releaseRest = holdFrom(32);
  release();
  const second = start();
  await untilCreated(second, 24);
  await stop(second, 'SIGINT');
  releaseRest();
  await putBack(FILES);
  await expectRefusedAndReconciled();
});
