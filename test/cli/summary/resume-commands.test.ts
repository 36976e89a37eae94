import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterTrial, resumeSteps, isAttended, workerlessText } from '../../../cli/summary/resume-commands';
import { runCli } from '../../../cli/run-cli';
import { runOf } from '../../../cli/shared/resolve-run';
import { loadSettings, type Settings } from '../../../cli/config/settings';
import { buildSummary } from '../../../cli/summary/summary';
import { type WorkerIdentity } from '../../../ledger/model/attempt-types';
import { type RunInfo, type RunRef } from '../../../ledger/model/types';
import { currentProcess, identifyProcess } from '../../../host/process-identity';
import { type StackRecord, writeRecord } from '../../../embedded/stack/home';
import { CapturedStream } from '../capture';
import { Bench, entries, submission } from '../../ledger/support';

let folder: string;
let bench: Bench;
let settings: Settings;
let other: ChildProcess;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'reelay-go-on-')));
  bench = new Bench();
  // Its own worker is of another host, and long silent.
  await bench.open();
  settings = await loadSettings({ home: folder }, {}, folder);
  other = spawn('sleep', ['600']);
});
afterEach(async () => {
  other.kill('SIGKILL');
  await bench.close();
  await rm(folder, { recursive: true });
});

const otherProcess = (): WorkerIdentity => identifyProcess(other.pid ?? 0)!;
const endOther = async (): Promise<void> => {
  other.kill('SIGKILL');
  if (other.exitCode === null && other.signalCode === null) await once(other, 'exit');
};
/** As the other process holds it. */
const heldStack = (): StackRecord => ({
  version: 1,
  state: 'ready',
  owner: otherProcess(),
  startedAt: new Date().toISOString(),
  namespace: 'default',
  temporal: { address: '127.0.0.1:7233', webUi: 'http://127.0.0.1:8233' },
  sandbox: null,
  processes: [],
  controlSocket: null,
});
const attended = () => isAttended(settings, bench.ledger);

async function begin(name: string, how: Parameters<typeof submission>[1] = {}): Promise<RunInfo> {
  const path = join(folder, name);
  await writeFile(path, '');
  const run = await bench.begin(submission(entries('ep-1', 'ep-2'), { given: [], ...how, path }));
  return runOf(bench.ledger, run);
}

describe('whether anybody works on open runs', () => {
  test('a worker does while its process exists, and no longer', async () => {
    expect(await attended()).toBe(false);
    await bench.ledger.registerWorker(otherProcess());
    expect(await attended()).toBe(true);
    await endOther();
    expect(await attended()).toBe(false);
  });

  test('the worker of this process, which has been stopped by then, doesn’t', async () => {
    await bench.ledger.registerWorker(currentProcess());
    expect(await attended()).toBe(false);
  });

  test('a worker in another container does while it is heard', async () => {
    const elsewhere = { ...otherProcess(), hostId: 'another' };
    bench.time = Date.now();
    await bench.ledger.registerWorker(elsewhere);
    expect(await attended()).toBe(true);
    bench.time -= 60_000;
    await bench.ledger.registerWorker(elsewhere);
    expect(await attended()).toBe(false);
  });

  test('a process that holds the home’s Temporal does; where one is configured, only workers tell', async () => {
    await writeRecord(folder, heldStack());
    expect(await attended()).toBe(true);
    settings = await loadSettings({ home: folder }, { TEMPORAL_ADDRESS: '127.0.0.1:7233' }, folder);
    expect(await attended()).toBe(false);
    settings = await loadSettings({ home: folder }, {}, folder);
    await endOther();
    expect(await attended()).toBe(false);
  });
});

test.each([
  ['a flag', {}, [['publishes the other rows', '']]],
  [
    'take in the manifest',
    { take: true as const },
    [
      ['publishes the next row (take in the manifest)', ''],
      ['publishes all other rows', ' --limit 2'],
    ],
  ],
])('after a trial that was limited by %s, commands that publish the rest', async (_, how, expected) => {
  const path = join(folder, 'spring.csv');
  await writeFile(path, '');
  const all = submission(entries('ep-1', 'ep-2', 'ep-3'), { given: [], path });
  const trial = { ...all, select: { limit: 1 }, ...how };
  const next = async (run: RunRef) => afterTrial(settings, bench.ledger, await runOf(bench.ledger, run));
  const run = await bench.begin(trial);
  expect(await next(run)).toEqual([]);
  await end(run);
  expect(await next(run)).toEqual(expected.map(([what, more]) => ({ command: `reelay run ${path}${more}`, what })));
  const second = await bench.begin(trial);
  await end(second);
  expect(await next(second)).toEqual([{ command: `reelay run ${path}`, what: 'publishes the other rows' }]);
});

/** Every row that the run has taken ends well, and so does the run. */
async function end(run: RunRef): Promise<void> {
  for (const rowId of await bench.rowIds(run)) {
    const attempt = await bench.claimed(run, rowId);
    const publicationId = `p-${String(rowId)}`;
    await bench.ledger.record(rowId, attempt, { kind: 'accepted', publicationId, status: 'processing' });
    await bench.ledger.recordEnds([{ rowId, publicationId, state: 'published', status: 'published' }]);
  }
  expect(await bench.ledger.finishRun(run)).toBe(true);
}

describe('commands that resume a run without a running worker', () => {
  const commands = async (own: Settings, info: RunInfo) =>
    (await resumeSteps(own, bench.ledger, info))?.map(({ command }) => command);

  test('say how long each works, and on what', async () => {
    expect(await resumeSteps(settings, bench.ledger, await begin('spring.csv'))).toEqual([
      { command: `reelay run ${folder}/spring.csv`, what: 'resumes it in this terminal, until it ends' },
      { command: 'reelay up', what: 'resumes it and every other open run, until you stop it' },
    ]);
  });

  test('the same command, with the campaign where the file’s name doesn’t say it, or `reelay up`', async () => {
    const info = await begin('spring.csv');
    expect(await commands(settings, info)).toEqual([`reelay run ${folder}/spring.csv`, 'reelay up']);
  });

  test('a file of another name, with a blank in it', async () => {
    const info = await begin('the sheet.csv');
    expect(await commands({ ...settings, sandbox: true }, info)).toEqual([
      `reelay run '${folder}/the sheet.csv' --campaign spring --sandbox`,
      'reelay up --sandbox',
    ]);
  });

  test('with a Temporal of one’s own, a worker', async () => {
    const info = await begin('spring.csv');
    settings = await loadSettings({ home: folder }, { TEMPORAL_ADDRESS: '127.0.0.1:7233' }, folder);
    expect((await commands(settings, info))?.at(-1)).toBe('reelay worker');
  });

  test.each([
    ['a trial', { select: { limit: 1 } }],
    ['a firing', { by: 'schedule weekly' }],
  ])('of %s, not the command for all of it', async (_, how) => {
    const info = await begin('spring.csv', how);
    expect(await commands(settings, info)).toEqual(['reelay up']);
  });

  test('of a manifest that was given flags, the same with these flags, but without one that cancels rows', async () => {
    const info = await begin('spring.csv', {
      given: [['--timezone', 'Europe/Berlin'], ['--skip-invalid'], ['--prune']],
    });
    const command = `reelay run ${folder}/spring.csv --timezone Europe/Berlin --skip-invalid`;
    expect(await commands(settings, info)).toEqual([command, 'reelay up']);
  });

  test('of a manifest of which left-out rows were submitted since, none with the flags of these', async () => {
    const { campaign, number } = await begin('spring.csv', { given: [['--skip-invalid']] });
    const rejected = submission(entries('ep-3'), { given: [['--keep']], path: join(folder, 'rejected.csv') });
    await bench.ledger.submit({ ...rejected, vanished: 'keep' });
    const info = await runOf(bench.ledger, { campaign, number });
    expect(await commands(settings, info)).toEqual(['reelay up']);
  });

  test('of a cancelled run nothing that would send its rows again', async () => {
    const { campaign, number } = await begin('spring.csv');
    await bench.ledger.cancel({ run: { campaign, number }, by: 'ana@desk' });
    const info = await runOf(bench.ledger, { campaign, number });
    expect(await resumeSteps(settings, bench.ledger, info)).toBeNull();
    const summary = await buildSummary({ ledger: bench.ledger, info, attached: true, webUi: null, sandbox: false });
    expect([summary.state, summary.next, summary.run_corrected]).toEqual(['cancelled', [], null]);
  });

  test('of a file that is gone, none that reads it', async () => {
    const info = await begin('spring.csv');
    await rm(join(folder, 'spring.csv'));
    expect(await commands(settings, info)).toEqual(['reelay up']);
  });

  test('the summary says that no worker is running, and names those commands instead of a watch that would wait for ever', async () => {
    const info = await begin('spring.csv');
    const goOn = (await resumeSteps(settings, bench.ledger, info)) ?? [];
    const input = { ledger: bench.ledger, info, attached: true, webUi: null, sandbox: false };
    expect(await buildSummary({ ...input, liveness: { goOn, lost: null } })).toMatchObject({
      state: 'no-worker',
      next_steps: goOn,
    });
    expect(await buildSummary(input)).toMatchObject({ state: 'running', next: ['reelay watch spring.1'] });
    expect(workerlessText('spring.1', [{ command: 'reelay up', what: '' }])).toBe(
      'no worker is running for spring.1: `reelay up` resumes it',
    );
  });

  test('none, if a worker is running or the run has ended', async () => {
    const info = await begin('spring.csv');
    expect(await resumeSteps(settings, bench.ledger, { ...info, open: false })).toBeNull();
    await bench.ledger.registerWorker(otherProcess());
    expect(await resumeSteps(settings, bench.ledger, info)).toBeNull();
  });
});

test('results name the Web UI while there is one', async () => {
  await begin('spring.csv');
  const home = dirname(bench.path);
  const webUi = async (): Promise<unknown> => {
    const stdout = new CapturedStream();
    const args = ['results', 'spring', '-o', 'json', '--home', home];
    expect(await runCli(args, { stdout, stderr: new CapturedStream() })).toBe(0);
    return (JSON.parse(stdout.text) as { run: { web_ui: unknown } }).run.web_ui;
  };
  expect(await webUi()).toBeNull();
  await writeRecord(home, heldStack());
  expect(await webUi()).toBe(
    'http://127.0.0.1:8233/namespaces/default/workflows/campaign%2Fspring/execution-1/user-metadata',
  );
});
