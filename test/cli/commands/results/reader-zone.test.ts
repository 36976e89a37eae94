import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../../cli/run-cli';
import { thisHost } from '../../../../cli/stack/engine';
import { createWatchFacts } from '../../../../cli/watch/watch-facts';
import { ProgressView } from '../../../../cli/watch/progress';
import { type Ledger } from '../../../../ledger/ledger';
import { openLedger } from '../../../../ledger/open';
import { localTime } from '../../../../wording/times';
import { entry, submission, worker } from '../../../ledger/support';
import { capture, CapturedStream } from '../../capture';

/** Later than a request of a test takes, on a whole minute. */
const AT = Math.ceil(Date.now() / 60_000) * 60_000 + 3 * 3_600_000;
const ISO = new Date(AT).toISOString();
const KIRITIMATI = 'Pacific/Kiritimati';

let folder: string;
const kept = { ...process.env };

async function withLedger<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { host: await thisHost() });
  return work(ledger).finally(() => ledger.close());
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reelay-zone-'));
  for (const name of Object.keys(process.env))
    if (/^(REELAY_|TEMPORAL_)/.test(name)) Reflect.deleteProperty(process.env, name);
  const rows = [entry(0, 'one', { values: { publishAt: ISO } }), entry(1, 'two')];
  await withLedger(async (ledger) => {
    await ledger.submit(submission(rows, { settings: { timezone: KIRITIMATI } }));
    const run = await ledger.beginRun({ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'w-1' });
    await ledger.importSubmissions(run!);
  });
});
afterEach(() => {
  Object.assign(process.env, kept);
  rmSync(folder, { recursive: true, force: true });
});

async function command(words: string[], columns?: number): Promise<{ out: string; err: string }> {
  const [stdout, stderr] = [new CapturedStream(columns), new CapturedStream(columns)];
  await runCli([...words, '--home', folder], { stdout, stderr });
  return { out: stdout.text.replace(/\u001b\[[\d;]*m/g, ''), err: stderr.text };
}

const shown = (): string => localTime(AT, { zone: KIRITIMATI, now: Date.now() });

test('a row that waits shows its time in the manifest’s zone, and how long that is', async () => {
  const { out } = await command(['results', 'spring'], 200);
  expect(out).toMatch(new RegExp(`one .*planned for ${shown()} \\(in [23] h.*\\)`));
  expect(out).toMatch(/two .*not sent yet/);
});

test('in a pipe, in JSON and in CSV times are UTC in ISO 8601', async () => {
  expect((await command(['results', 'spring'])).out).toContain(`planned for ${ISO}`);
  expect((await command(['results', 'spring', '-o', 'json'])).out).toContain(`"publish_at":"${ISO}"`);
  expect((await command(['results', 'spring', '-o', 'csv'])).out).toContain(ISO);
});

test('list says what a run waits for when it only waits for the times of its rows', async () => {
  await withLedger((ledger) => ledger.cancel({ run: { campaign: 'spring', number: 1 }, keys: ['two'], by: 'ana' }));
  expect((await command(['list'])).out).toContain(`Garden · long: next ${ISO}, as scheduled`);
  // In the manifest's zone, as in `status`; the other times are the machine's.
  const { out, err } = await command(['list'], 200);
  expect(`${out}${err}`).toContain(`Garden · long: next ${shown()} (in `);
  expect(err).toMatch(/, as scheduled \(Pacific\/Kiritimati\)$/m);
});

test('two profiles with one name are distinguished wherever a channel is named', async () => {
  await withLedger(async (ledger) => {
    const other = entry(0, 'three', { values: { profileId: 'p-2' } });
    await ledger.submit({ ...submission([other]), campaign: 'summer' });
    const run = await ledger.beginRun({ campaign: 'summer', workflowId: 'campaign/summer', workflowRunId: 'w-2' });
    await ledger.importSubmissions(run!);
  });
  const { out } = await command(['results', 'summer'], 200);
  expect(out).toContain('Garden · long (profile p-2)');
  expect((await command(['results', 'spring'], 200)).out).toContain('Garden · long (profile p-1)');
});

test('the live screen names a row that needs a person, and the command that says how to settle it', async () => {
  await withLedger(async (ledger) => {
    const run = (await ledger.newestRun('spring'))!;
    await ledger.registerWorker(worker());
    const [, two] = await ledger.takePage({ run, channelId: (await ledger.channels(run))[0]!.id, limit: 9, now: AT });
    const claimed = await ledger.claim({ rowId: two!.id, run, worker: 'worker-1', now: AT });
    expect(claimed.claimed).toBe(true);
    await ledger.record(two!.id, 1, { kind: 'unknown', code: 'reset', message: 'the connection was reset' });
    const message = 'no publication can be told for certain';
    await ledger.settle(two!.id, 1, { kind: 'unconfirmed', code: 'ambiguous', message, candidates: [] });
    const counts = await ledger.counts(run);
    const { output, stderr } = capture();
    const facts = await createWatchFacts(ledger)(run, counts);
    const view = new ProgressView(output, { sandbox: false });
    const snapshot = { run: 'spring.1', counts, at: Date.now(), held: null, ...facts };
    view.show(snapshot);
    view.show(snapshot);
    expect(
      stderr.text.match(/unconfirmed: row \d, key \w+, Episode \w+ \(Garden · long\) — no publication/g),
    ).toHaveLength(1);
    expect(stderr.text).toContain('1 row needs a person: `reelay status spring.1');
  });
});
