import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { type Settings } from '../../../cli/config/settings';
import { acceptInLedger } from '../../../cli/submission/submission';
import { showSummary } from '../../../cli/summary/show-summary';
import { buildSummary } from '../../../cli/summary/summary';
import { createWatchFacts } from '../../../cli/watch/watch-facts';
import { watchRun } from '../../../cli/watch/watch-run';
import { type Ledger } from '../../../ledger/ledger';
import { openLedger } from '../../../ledger/open';
import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type Entry, type RunInfo } from '../../../ledger/model/types';
import { localTime } from '../../../wording/times';
import { capture, CapturedStream } from '../capture';

let folder: string;
let ledger: Ledger;
let run: RunInfo;

const entry = (position: number): Entry => ({
  position,
  line: position + 2,
  key: `ep-${String(position)}`,
  account: 'default',
  values: {
    source: `https://example.com/${String(position)}.mp4`,
    sourceKind: 'url',
    platform: 'platform_b',
    platformKind: 'long',
    profileId: 'p-1',
    profileName: 'Garden',
    title: `Episode ${String(position)}`,
    description: null,
    privacy: 'private',
    status: 'published',
    publishAt: null,
    via: 'publication',
  },
  skip: false,
  cells: {},
});

const submission = (rows: number): SubmissionInput => ({
  campaign: 'spring',
  snapshot: {
    hash: 'a'.repeat(64),
    fileHash: 'b'.repeat(64),
    path: '/manifests/spring.csv',
    format: 'csv',
    text: '',
    columns: [],
    settings: {
      late: 'hold',
      giveUpAfterMs: 86_400_000,
      ambiguous: 'reconcile',
      repeat: 'refuse',
      channelConcurrency: 4,
      accountConcurrency: 16,
    },
  },
  entries: Array.from({ length: rows }, (_, index) => entry(index)),
  by: 'ada@host',
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-watch-'));
  ledger = await openLedger({ path: join(folder, 'ledger.db') });
  await ledger.bindAccount({ account: 'default', baseUrl: 'https://service.example' });
  await ledger.submit(submission(3));
  const begun = await ledger.beginRun({ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'w-1' });
  await ledger.importSubmissions(begun!);
  run = (await ledger.newestRun('spring'))!;
});
afterEach(async () => {
  await ledger.close();
  await rm(folder, { recursive: true, force: true });
});

const watch = (more: { signal?: AbortSignal; timeoutMs?: number; onRound?: () => Promise<void> } = {}) => {
  const captured = capture({ format: 'jsonl' });
  const signal = more.signal ?? new AbortController().signal;
  return {
    captured,
    ended: watchRun({ ledger, run, output: captured.output, sandbox: false, everyMs: 5, ...more, signal }),
  };
};
const summaryOf = (info: RunInfo) => buildSummary({ ledger, info, attached: false, webUi: null, sandbox: false });

describe('watching a run', () => {
  test('it ends when the run has closed, with an event for each change', async () => {
    const { captured, ended } = watch({
      onRound: async () => {
        await ledger.cancel({ run, by: 'ada@host' });
        await ledger.finishRun(run);
      },
    });
    const { end, run: closed } = await ended;
    expect({ end, open: closed.open }).toEqual({ end: 'closed', open: false });
    const counts = captured.stdout.text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { counts: unknown }).counts);
    expect(counts).toEqual([{ planned: 3 }, { cancelled: 3 }]);
    await expect(summaryOf(closed)).resolves.toMatchObject({ state: 'cancelled', exit_code: 8, total: 3, next: [] });
  });

  test('Ctrl-C only ends the watch: the run stays open and nothing is cancelled', async () => {
    const controller = new AbortController();
    const { ended } = watch({ signal: controller.signal, onRound: async () => controller.abort() });
    const { end, run: still } = await ended;
    expect({ end, open: still.open }).toEqual({ end: 'interrupted', open: true });
    await expect(summaryOf(still)).resolves.toMatchObject({ state: 'running', exit_code: 9, counts: { planned: 3 } });
  });

  test('a time limit ends the watch', async () => {
    expect((await watch({ timeoutMs: 20 }).ended).end).toBe('timeout');
  });

  test('rows that all wait for a refused key end the watch, with the exit code for that', async () => {
    await ledger.setGate({
      scope: 'account:default',
      kind: 'parked',
      by: 'worker',
      reason: 'the key is refused (401)',
    });
    const { captured, ended } = watch();
    const { end, run: parked } = await ended;
    expect(end).toBe('parked');
    expect(captured.stderr.text).toContain('the key is refused (401)');
    await expect(summaryOf(parked)).resolves.toMatchObject({ exit_code: 4 });
  });

  test('a wait that the service asked for is shown, also while rows are in flight', async () => {
    const worker = { id: 'w', hostId: 'h', bootId: 'b', pid: 1, startTime: '1' };
    await ledger.registerWorker(worker);
    const [channel] = await ledger.channels(run);
    const [row] = await ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
    const claim = await ledger.claim({ rowId: row!.id, run, worker: 'w', now: Date.now() });
    if (!claim.claimed) throw new Error(claim.reason);
    const notBefore = Date.now() + 600_000;
    const throttled = { kind: 'unknown', code: 'http-429', message: 'too many requests', notBefore } as const;
    await ledger.record(row!.id, claim.attempt, throttled);
    const captured = capture({ format: 'text' });
    const signal = AbortSignal.timeout(100);
    await watchRun({ ledger, run, output: captured.output, sandbox: false, everyMs: 5, signal });
    const until = localTime(notBefore, captured.output.clock);
    expect(captured.stderr.text).toContain(`Garden · long: next ${until}, the service asked to wait`);
  });

  test('an error while looking after the run ends the watch with it', async () => {
    const broken = new Error('the worker failed');
    await expect(watch({ onRound: () => Promise.reject(broken) }).ended).rejects.toBe(broken);
  });
});

test('a trial knows its own rows and those it leaves, and a run of all rows is none', async () => {
  expect(await ledger.trial(run)).toBeNull();
  const { snapshot, ...all } = submission(3);
  const settings = { ...snapshot.settings, repeat: 'allow' as const };
  await ledger.submit({ ...all, campaign: 'trial', select: { limit: 2 }, snapshot: { ...snapshot, settings } });
  const begun = await ledger.beginRun({ campaign: 'trial', workflowId: 'campaign/trial', workflowRunId: 'w-2' });
  const early = (await ledger.newestRun('trial'))!;
  expect((await createWatchFacts(ledger)(early, await ledger.counts(early))).trial).toBeNull();
  await ledger.importSubmissions(begun!);
  const trial = (await ledger.newestRun('trial'))!;
  expect(await ledger.trial(trial)).toEqual({ rows: 2, ended: 0, take: null });
  const facts = createWatchFacts(ledger);
  expect((await facts(trial, await ledger.counts(trial))).trial).toEqual({ rows: 2, ended: 0, others: 1 });
  expect((await facts(run, await ledger.counts(run))).trial).toBeNull();
});

test('where rows are written to be corrected, the command that runs them is shown', async () => {
  const summary = await buildSummary({ ledger, info: run, attached: false, webUi: null, sandbox: true });
  const command = 'reelay results spring.1 --state failed -o csv --out corrected.csv --sandbox';
  const then = 'reelay run corrected.csv --sandbox';
  const { output, stderr } = capture();
  await showSummary({ ...summary, next_steps: [{ command, what: 'correct it', then }] }, output, true);
  expect(stderr.text).toContain(`Next:\n  ${command}\n      correct it, then:\n  ${then}\n`);

  await ledger.registerWorker({ id: 'w', hostId: 'h', bootId: 'b', pid: 1, startTime: '1' });
  const [channel] = await ledger.channels(run);
  const [row] = await ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
  const claim = await ledger.claim({ rowId: row!.id, run, worker: 'w', now: Date.now() });
  if (!claim.claimed) throw new Error(claim.reason);
  await ledger.record(row!.id, claim.attempt, { kind: 'rejected', code: 'http-400', message: 'refused' });

  const said = new CapturedStream();
  const streams = { stdout: new CapturedStream(), stderr: said };
  const path = join(folder, 'corrected.csv');
  const flags = ['--home', folder, '-o', 'csv', '--out', path];
  expect(await runCli(['results', 'spring', '--state', 'failed,rejected', ...flags], streams)).toBe(0);
  expect(said.text).toContain(`Correct its cells, then:\n  reelay run ${path}`);
  said.text = '';
  await runCli(['results', 'spring', ...flags], streams);
  expect(said.text).not.toContain('Correct its');
});

test('a time that rows wait for is looked for again soon after there was none', async () => {
  const now = jest.spyOn(Date, 'now');
  try {
    const facts = createWatchFacts(ledger);
    const look = async () => (await facts(run, { ...(await ledger.counts(run)), waiting: 1 })).lastSendAt;
    const at = Date.now();
    const lastSend = jest.spyOn(ledger, 'lastSend').mockResolvedValueOnce({ at: null, held: 0, late: null });
    expect(await look()).toBeNull();
    lastSend.mockResolvedValueOnce({ at: at + 3_600_000, held: 0, late: null });
    now.mockReturnValue(at + 2_500);
    expect(await look()).toBe(at + 3_600_000);
  } finally {
    jest.restoreAllMocks();
  }
});

test('after a cancel the next steps show how to see its result', async () => {
  const said = new CapturedStream();
  const streams = { stdout: new CapturedStream(), stderr: said };
  expect(await runCli(['cancel', 'spring', '--yes', '--home', folder], streams)).toBe(0);
  expect(said.text).toMatch(new RegExp(`Next:\n  reelay (status|results) spring.1 --home ${folder}\n`, 'u'));
});

test('a submission that joins an open run without its pace is warned', async () => {
  const { snapshot, ...rest } = submission(3);
  const submit = async (hash: string, pace: object[]) => {
    const { output, stderr } = capture();
    const settings = { ...snapshot.settings, pace };
    const next = { ...rest, forceOld: true, snapshot: { ...snapshot, hash, settings } };
    const none = { settings: { sandbox: false } as Settings, accounts: {} as never, reading: { rows: [] } as never };
    await acceptInLedger({
      ledger,
      submission: next,
      ...none,
      unread: [],
      profiles: new Map(),
      confirm: false,
      output,
    });
    await ledger.importSubmissions(run);
    return stderr.text;
  };
  expect(await submit('slow', [{ minGapMs: 20_000, concurrency: 2 }])).not.toContain('warning');
  expect(await submit('other', [{ minGapMs: 90_000 }])).toContain('warning: spring.1 had --concurrency 2, which');
  expect(await submit('again', [{ minGapMs: 90_000 }])).not.toContain('warning');
});

test('an account that was parked is open for a new campaign whose submit could read it, and stays parked otherwise', async () => {
  const client = { baseUrl: 'https://service.example' };
  const common = {
    settings: { sandbox: false, account: 'default' } as Settings,
    accounts: { get: () => ({ client }) } as never,
    reading: { rows: [{ account: 'default' }] } as never,
    profiles: new Map<string, string[]>(),
    confirm: false,
  };
  const submit = async (campaign: string, unread: Parameters<typeof acceptInLedger>[0]['unread']) => {
    const { output, stderr } = capture();
    const { snapshot, ...rest } = submission(1);
    const entries = [entry(campaign === 'first' ? 10 : 20)];
    const next = { ...rest, campaign, entries, snapshot: { ...snapshot, hash: campaign } };
    const { run } = await acceptInLedger({ ledger, submission: next, ...common, unread, output });
    await ledger.beginRun({ campaign, workflowId: `campaign/${campaign}`, workflowRunId: campaign });
    await ledger.importSubmissions(run);
    return { said: stderr.text, gates: (await ledger.gates(run)).map(({ kind }) => kind) };
  };
  const unread = [{ account: 'default', reason: 'account default: the key is refused (401)', keyRefused: true }];
  const refused = await submit('first', unread);
  expect(refused).toMatchObject({
    gates: ['parked'],
    said: expect.stringContaining('account default: the key is refused'),
  });
  // The next campaign has no row in the ledger yet when it is accepted.
  const opened = await submit('second', []);
  expect(opened).toMatchObject({ gates: [], said: expect.stringContaining('default is no longer parked') });
});
