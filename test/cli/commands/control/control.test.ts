import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../../cli/run-cli';
import { thisHost } from '../../../../cli/stack/engine';
import { type Ledger } from '../../../../ledger/ledger';
import { type SubmissionInput } from '../../../../ledger/model/submission-types';
import { type RunRef } from '../../../../ledger/model/types';
import { openLedger } from '../../../../ledger/open';
import { entries, submission, worker } from '../../../ledger/support';
import { CapturedStream } from '../../capture';

let folder: string;
const kept = { ...process.env };

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reelay-control-')));
  for (const name of Object.keys(process.env))
    if (/^(REELAY_|TEMPORAL_)/.test(name)) Reflect.deleteProperty(process.env, name);
});
afterEach(() => {
  Object.assign(process.env, kept);
  rmSync(folder, { recursive: true, force: true });
});

async function withLedger<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { host: await thisHost() });
  return work(ledger).finally(() => ledger.close());
}

async function begin(ledger: Ledger, input: SubmissionInput): Promise<RunRef> {
  await ledger.registerWorker(worker());
  const { run } = await ledger.submit(input);
  await ledger.importSubmissions(run);
  return run;
}

/** Sends the rows of a run, which must be these; they end in a state, with an address. */
async function publish(ledger: Ledger, run: RunRef, state: 'published' | 'failed', ...keys: string[]): Promise<void> {
  for (const { id: channelId } of await ledger.channels(run)) {
    const rows = await ledger.takePage({ run, channelId, limit: 10, now: Date.now() });
    for (const { id } of rows) {
      const claim = await ledger.claim({ rowId: id, run, worker: worker().id, now: Date.now() });
      if (!claim.claimed) throw new Error(`row ${id} is not claimed: ${claim.reason}`);
      const { key, attempt } = claim;
      if (!keys.includes(key)) throw new Error(`key ${key} is not to be sent`);
      const publicationId = `pub-${key}-${attempt}`;
      await ledger.record(id, attempt, { kind: 'accepted', publicationId, status: 'processing' });
      const videoUrl = `https://platform.example/${key}`;
      await ledger.recordEnds([{ rowId: id, publicationId, state, status: state, videoUrl }]);
    }
  }
}

async function command(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
  const code = await runCli([...words, '--home', folder], { stdout, stderr });
  return { code, out: stdout.text, err: stderr.text };
}

const trial = (limit: number): SubmissionInput => ({ ...submission(entries('a', 'b', 'c')), select: { limit } });

test('a cancel lists the live rows of earlier runs too, as many as the status counts', async () => {
  await withLedger(async (ledger) => {
    const first = await begin(ledger, trial(1));
    await publish(ledger, first, 'published', 'a');
    await ledger.finishRun(first);
    await begin(ledger, submission(entries('a', 'b', 'c')));
  });
  const answer = JSON.parse((await command('cancel', 'spring', '--key', 'b', '--key', 'a', '--yes', '-o', 'json')).out);
  expect(answer).toMatchObject({ run: 'spring.2', cancelled: 1, live: 1 });
  const { out, err } = await command('cancel', 'spring', '--yes');
  expect(out).toBe('cancelled spring.2 (whole run): 1 row will not be sent\n');
  expect(err).toContain(
    '1 row accepted by the service or live already; that can’t be undone from here:\n  row 2, a “Episode a”: published https://platform.example/a\n',
  );
  const { counts } = JSON.parse((await command('status', 'spring.2', '-o', 'json')).out) as { counts: object };
  expect(counts).toEqual({ published: 1, cancelled: 2 });
});

test('a cancel of a channel or a key lists only its live rows', async () => {
  await withLedger(async (ledger) => {
    const first = await begin(ledger, trial(1));
    await publish(ledger, first, 'published', 'a');
    await ledger.finishRun(first);
    await begin(ledger, submission(entries('a', 'b', 'c')));
  });
  expect((await command('cancel', 'spring', '--key', 'b', '--yes')).err).not.toContain('live already');
  expect((await command('cancel', 'spring', '--channel', 'Garden · long', '--yes')).err).toContain(
    'row 2, a “Episode a”',
  );
});

test('a resume where nothing is held warns of nothing; after a pause it says when the run was not notified', async () => {
  await withLedger((ledger) => begin(ledger, submission(entries('a'))));
  expect(await command('resume', 'spring')).toEqual({
    code: 0,
    out: 'spring.1: nothing was paused, parked or stopped\n',
    err: '',
  });
  expect((await command('pause', 'spring')).err).toContain('could not be notified');
  expect((await command('resume', 'spring')).err).toContain('could not be notified');
});

test('a row that was cancelled in an earlier run is no failure of a retry that succeeds', async () => {
  await withLedger(async (ledger) => {
    const first = await begin(ledger, submission(entries('a', 'b')));
    await ledger.cancel({ run: first, keys: ['b'], by: 'ana' });
    await publish(ledger, first, 'failed', 'a');
    await ledger.finishRun(first);
  });
  expect((await command('status', 'spring.1', '--exit-code')).code).toBe(8);
  await withLedger(async (ledger) => {
    const { run: second } = await ledger.retry({ run: { campaign: 'spring', number: 1 }, by: 'ana' });
    await publish(ledger, second!, 'published', 'a');
    await ledger.finishRun(second!);
  });
  for (const name of ['spring.2', 'spring']) expect((await command('status', name, '--exit-code')).code).toBe(0);
  expect((await command('status', 'spring.1', '--exit-code')).code).toBe(8);
});

test('the status of a trial that has ended names the command for the other rows', async () => {
  const path = join(folder, 'spring.csv');
  writeFileSync(path, '');
  await withLedger(async (ledger) => {
    const given = [['--timezone', 'UTC']] as const;
    const run = await begin(ledger, {
      ...trial(1),
      snapshot: submission(entries('a', 'b', 'c'), { path }).snapshot,
      given,
    });
    await publish(ledger, run, 'published', 'a');
    await ledger.finishRun(run);
  });
  const { next_steps: steps } = JSON.parse((await command('status', 'spring', '-o', 'json')).out) as {
    next_steps: object[];
  };
  expect(steps).toEqual([
    { command: `reelay run ${path} --timezone UTC --home ${folder}`, what: 'publishes the other rows' },
  ]);
});

test('completion offers campaigns, runs and `latest`', async () => {
  expect((await command('complete', 'run')).out).toBe('');
  await withLedger((ledger) => begin(ledger, submission(entries('a'))));
  expect((await command('complete', 'run')).out).toBe('spring\nspring.1\nlatest\n');
  expect((await command('complete', 'run', '--begins', 'la')).out).toBe('latest\n');
});
