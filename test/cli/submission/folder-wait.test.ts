import { mkdir, mkdtemp, open, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '../../../cli/run-cli';
import { checkBeforeStart } from '../../../cli/commands/campaigns/run-start';
import { loadSettings } from '../../../cli/config/settings';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { capture, CapturedStream } from '../capture';

let service: RunningSandbox;
let folder: string;
let manifest: string;
const before = { ...process.env };

beforeAll(async () => (service = await startSandbox({ apiKey: 'their-key' })));
afterAll(() => service.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-folder-'));
  manifest = join(folder, 'clips.yaml');
  await mkdir(join(folder, 'in'));
  const home = join(folder, 'home');
  Object.assign(process.env, { REELAY_HOME: home, REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'their-key' });
});
afterEach(async () => {
  process.env = { ...before };
  await rm(folder, { recursive: true, force: true });
});

async function clips(names: readonly string[], settled: string, more = ''): Promise<void> {
  const top = `campaign: clips\ntimezone: UTC\n${more}defaults: {platform: short, profile: Garden}\n`;
  await writeFile(manifest, `${top}videos: {folder: in, settled: ${settled}}\n`);
  for (const name of names) {
    const head = Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`ftypisom${name}`)]);
    await writeFile(join(folder, 'in', name), head);
  }
}

async function cli(...args: string[]) {
  const stdout = new CapturedStream();
  const code = await runCli([...args, '-o', 'json'], { stdout, stderr: new CapturedStream() });
  const answer: {
    ok?: boolean;
    actions?: object;
    error?: { code: string; hint: string };
    problems: { severity: string; code: string; message: string; value: string | null }[];
  } = JSON.parse(stdout.text);
  return { code, answer };
}

test('a run waits for a folder’s file that is being written, and says so', async () => {
  await clips(['a.mp4'], '2s');
  const writer = await open(join(folder, 'in', 'a.mp4'), 'r+');
  const { output, stderr } = capture();
  const given = { source: { path: manifest }, flags: {}, settings: await loadSettings({}), output };
  const over = new AbortController();
  const checked = checkBeforeStart(given).finally(() => over.abort());
  try {
    while (!over.signal.aborted && !stderr.text.includes('a.mp4 may still be written')) await sleep(20);
  } finally {
    await writer.close();
  }
  const { prepared } = await checked;
  expect(stderr.text).toContain('a.mp4 may still be written');
  expect(prepared?.reading.rows.map(({ title }) => title)).toEqual(['a']);
  expect(prepared?.input).not.toBeNull();
});

test('a run of a folder whose files won’t settle soon is refused with their names, and leaves no run', async () => {
  await clips(['a.mp4', 'b.mp4'], '10m');
  const { code, answer } = await cli('run', manifest);
  expect([code, answer.error?.code]).toEqual([3, 'manifest-refused']);
  const error = answer.problems.find(({ severity }) => severity === 'error');
  expect(error?.code).toBe('no-rows');
  expect(error?.message).toMatch(/a\.mp4, b\.mp4 may still be written/);
  expect(answer.error?.hint).toContain('Repeat the command');
  expect((await readdir(join(folder, 'home')).catch(() => [])).filter((name) => name === 'ledger.db')).toEqual([]);
});

test('a plan says of an empty folder what a run would, and of a schedule’s that a firing finds nothing', async () => {
  await clips([], '10s');
  const { code, answer } = await cli('plan', manifest);
  expect([code, answer.ok, answer.problems[0]?.message]).toEqual([3, false, 'The folder has no file to publish.']);
  await clips([], '10s', 'schedule: {every: 1h}\n');
  expect(await cli('plan', manifest)).toMatchObject({ code: 0, answer: { ok: true, actions: {} } });
  expect((await cli('plan', manifest, '--once')).code).toBe(3);
});

test('files that have settled go, and those that have not are left with a warning', async () => {
  await clips(['a.mp4', 'b.mp4'], '10m');
  await utimes(join(folder, 'in', 'a.mp4'), 1_700_000_000, 1_700_000_000);
  const { code, answer } = await cli('plan', manifest);
  expect([code, answer.actions]).toEqual([0, { create: 1 }]);
  expect(answer.problems).toMatchObject([{ code: 'folder-left', value: 'b.mp4' }]);
});
