import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../../cli/run-cli';
import { thisHost } from '../../../../cli/stack/engine';
import { watchRun } from '../../../../cli/watch/watch-run';
import { openLedger } from '../../../../ledger/open';
import { entries, submission } from '../../../ledger/support';
import { capture, CapturedStream } from '../../capture';

let folder: string;
const kept = { ...process.env };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelay-list-'));
  for (const name of Object.keys(process.env))
    if (/^(REELAY_|TEMPORAL_)/.test(name)) Reflect.deleteProperty(process.env, name);
});
afterEach(() => {
  Object.assign(process.env, kept);
  rmSync(folder, { recursive: true, force: true });
});

async function command(...words: string[]): Promise<string> {
  const stdout = new CapturedStream();
  await runCli([...words, '--home', folder], { stdout, stderr: new CapturedStream() });
  return stdout.text;
}

/** Two runs: the first is cancelled, the second has a third row, which waits. */
async function twoRuns() {
  const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { host: await thisHost() });
  await ledger.submit(submission(entries('one', 'two')));
  const first = (await ledger.beginRun({ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'w-1' }))!;
  await ledger.importSubmissions(first);
  await ledger.cancel({ run: first, by: 'ana@desk' });
  await ledger.finishRun(first);
  await ledger.submit({ ...submission(entries('one', 'two', 'three')), cancelled: 'leave' });
  const second = (await ledger.beginRun({ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'w-2' }))!;
  return { ledger, second };
}

test('list counts a row once, as status does; --runs has a line for each run', async () => {
  const { ledger, second } = await twoRuns();
  await ledger.importSubmissions(second);
  await ledger.close();
  const lines = (await command('list')).trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^NEWEST RUN\tSTATE/);
  expect(lines[1]).toMatch(/^spring\.2\t.*\t1 planned · 2 cancelled/);
  const { counts } = JSON.parse(await command('status', 'spring', '-o', 'json')) as { counts: object };
  expect(counts).toEqual({ planned: 1, cancelled: 2 });
  expect((await command('list', '--runs')).trim().split('\n').slice(1)).toEqual([
    expect.stringMatching(/^spring\.2\t/),
    expect.stringMatching(/^spring\.1\t/),
  ]);
  expect((JSON.parse(await command('list', '-o', 'json')) as { runs: unknown[] }).runs).toHaveLength(2);
});

test('list says how many rows were left out because of errors, as status does', async () => {
  const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { host: await thisHost() });
  const leftOut = [{ line: 4, key: 'bad', source: null }];
  await ledger.submit({ ...submission(entries('one', 'two')), leftOut });
  await ledger.close();
  for (const words of [['list'], ['list', '--runs']])
    expect(await command(...words)).toMatch(/^spring\.1\t.*\t2 planned · 1 left out \(errors\)/m);
  const { runs } = JSON.parse(await command('list', '-o', 'json')) as { runs: object[] };
  expect(runs).toMatchObject([{ counts: { planned: 2 }, left_out: 1 }]);
});

test('a paused campaign is paused, and in a narrow terminal its rows are continued instead of cut', async () => {
  const { ledger, second } = await twoRuns();
  await ledger.importSubmissions(second);
  await ledger.pause({ run: second, by: 'ana@desk' });
  await ledger.close();
  expect(await command('list')).toMatch(/^spring\.2\tpaused\t|^spring\.2\tno-worker, paused\t/m);
  const { runs } = JSON.parse(await command('list', '-o', 'json')) as { runs: object[] };
  expect(runs[0]).toMatchObject({ paused: true });
  expect(runs[1]).toMatchObject({ paused: false });
});

test('a later run shows no progress before it has taken in its manifest: its counts were those of the run before', async () => {
  const { ledger, second } = await twoRuns();
  try {
    const { output, stderr } = capture();
    let rounds = 0;
    const over = new AbortController();
    const onRound = async (): Promise<void> => {
      rounds += 1;
      if (rounds === 2) expect(stderr.text).not.toContain('rows ended');
      if (rounds === 3) await ledger.importSubmissions(second);
      if (stderr.text.includes('rows ended')) over.abort();
    };
    const run = (await ledger.findRun(second))!;
    await watchRun({ ledger, run, output, sandbox: false, signal: over.signal, onRound, everyMs: 5 });
    expect(stderr.text).toMatch(/^spring\.2: 2 of 3 rows ended/m);
  } finally {
    await ledger.close();
  }
});
