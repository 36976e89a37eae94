import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../../../cli/config/settings';
import { openAccounts, openOwnLedger } from '../../../../cli/stack/engine';
import { prepareManifest } from '../../../../cli/submission/submission';
import { writeRejected } from '../../../../cli/submission/rejected-rows';
import { runCli } from '../../../../cli/run-cli';
import { readManifest } from '../../../../manifests/read-manifest';
import { partitionRows } from '../../../../submissions/partition-rows';
import { type RunningSandbox, startSandbox } from '../../../../sandbox/server';
import { CapturedStream } from '../../capture';

const SHEET = [
  'key,source,platform,title,note',
  'a,https://videos.example/a.mp4,short,One,=1+1',
  'b,,short,Two,"two',
  'lines"',
  'c,https://videos.example/c.mp4,short,Three,',
].join('\n');

let service: RunningSandbox;
let home: string;
let manifest: string;
const before = { ...process.env };

beforeAll(async () => (service = await startSandbox({ apiKey: 'their-key' })));
afterAll(() => service.close());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'reelay-skip-'));
  manifest = join(home, 'spring.csv');
  await writeFile(manifest, SHEET);
  Object.assign(process.env, {
    REELAY_HOME: home,
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: 'their-key',
  });
});
afterEach(async () => {
  process.env = { ...before };
  await rm(home, { recursive: true, force: true });
});

async function plan(...flags: string[]): Promise<{ code: number; answer: Record<string, unknown> }> {
  const stdout = new CapturedStream();
  const code = await runCli(['plan', manifest, '-o', 'json', ...flags], { stdout, stderr: new CapturedStream() });
  return { code, answer: JSON.parse(stdout.text) as Record<string, unknown> };
}

test('a plan refuses a manifest with a bad row, and plans the good ones where that is asked for', async () => {
  expect(await plan()).toMatchObject({ code: 3, answer: { ok: false, actions: {} } });
  const { code, answer } = await plan('--skip-invalid');
  expect([code, answer]).toEqual([
    5,
    expect.objectContaining({ ok: true, rows: 2, rejected: 1, actions: { create: 2 } }),
  ]);
  expect(answer.problems).toContainEqual(expect.objectContaining({ line: 3, code: 'source-missing' }));
});

test('the rows that a plan counts beside errors are called good ones', async () => {
  const said = async (...flags: string[]): Promise<string> => {
    const stderr = new CapturedStream();
    await runCli(['plan', manifest, ...flags], { stdout: new CapturedStream(), stderr });
    return stderr.text;
  };
  expect(await said('--skip-invalid')).toMatch(/^Campaign spring: 2 good rows, 1 error, /m);
  await writeFile(manifest, SHEET.replace('b,,short', 'b,https://videos.example/b.mp4,short'));
  expect(await said()).toMatch(/^Campaign spring: 3 rows, 0 errors, /m);
});

test('a manifest without a good row is refused all the same', async () => {
  await writeFile(manifest, 'key,source,platform\na,,short\n');
  expect(await plan('--skip-invalid')).toMatchObject({ code: 3, answer: { ok: false, actions: {} } });
});

test('a plan explains its words', async () => {
  await writeFile(manifest, SHEET.replace('b,,short', 'b,https://videos.example/b.mp4,short'));
  await accept();
  await writeFile(manifest, 'key,source,platform,title\na,https://videos.example/a.mp4,short,One\n');
  const stderr = new CapturedStream();
  await runCli(['plan', manifest, '--prune'], { stdout: new CapturedStream(), stderr });
  expect(stderr.text).toContain(
    '1 continue · 2 prune\n  continue: not sent yet, and unchanged; it stays in its run\n  prune: no longer in the manifest; it is cancelled\n',
  );
});

/** Accepts the manifest, as a run would. */
async function accept(): Promise<void> {
  const settings = await loadSettings({ home }, process.env, home);
  const opened = await openAccounts(settings);
  const ledger = await openOwnLedger(settings);
  try {
    const prepared = await prepareManifest({
      source: { path: manifest },
      flags: { probe: false },
      settings,
      accounts: opened,
    });
    const { run } = await ledger.submit(prepared.input!);
    await ledger.importSubmissions(run);
  } finally {
    await Promise.all([opened.close(), ledger.close()]);
  }
}

test.each([[], ['--keep'], ['--prune']])(
  'a row that is not sent yet and has got an error is neither kept nor pruned as if it had vanished: plan %p',
  async (...vanished) => {
    const good = SHEET.replace('b,,short', 'b,https://videos.example/b.mp4,short');
    await writeFile(manifest, good);
    await accept();
    const refused = async (text: string) => {
      await writeFile(manifest, text);
      const { code, answer } = await plan('--skip-invalid', ...vanished);
      const problems = answer.problems as { code: string; line: number }[];
      expect(answer.actions).toMatchObject({ refuse: 1 });
      return [code, problems.filter((one) => one.code === 'left-out-unsent').map(({ line }) => line)];
    };
    // Its source; its platform; its shape; its title.
    expect(await refused(SHEET)).toEqual([3, [3]]);
    expect(await refused(good.replace('b.mp4,short', 'b.mp4,shrot'))).toEqual([3, [3]]);
    expect(await refused(good.replace('short,Two', 'short,Two,and,a,half'))).toEqual([3, [3]]);
    expect(await refused(good.replace('short,Two', `short,${'x'.repeat(200)}`))).toEqual([3, [3]]);
  },
);

test('the rejected rows can be corrected and submitted again to the same campaign', async () => {
  const platforms = [{ name: 'platform_a', kind: 'short' as const }];
  const reading = await readManifest({ path: manifest }, { platforms, now: Date.now() });
  const { rejected } = partitionRows(reading, reading.problems);
  const warnings: string[] = [];
  const output = { warn: (text: string) => warnings.push(text), event: async () => undefined } as never;
  const where = { home, folder: join(home, 'out'), run: { campaign: 'spring', number: 1 }, output };
  expect(await writeRejected({ reading, rejected }, where)).toMatchObject([
    { code: 5, leftOut: join(home, 'out/rejected.csv') },
  ]);
  expect(warnings).toEqual([expect.stringContaining('1 row')]);
  const written = await readFile(join(home, 'out', 'rejected.csv'), 'utf8');
  expect(written.split('\r\n')[0]).toBe(
    '\ufeffkey,source,platform,title,note,reelay_campaign,reelay_folder,reelay_line,reelay_code,reelay_message',
  );
  const corrected = join(home, 'out', 'rejected.csv');
  await writeFile(corrected, written.replace('b,,', 'b,https://videos.example/b.mp4,'));
  const again = await readManifest({ path: corrected }, { platforms, now: Date.now() });
  // Run once more before it is submitted, the manifest leaves the corrections as they are.
  const beside = join(home, 'out', 'rejected-spring.1.csv');
  expect(await writeRejected({ reading, rejected }, where)).toMatchObject([{ leftOut: beside }]);
  expect(warnings).toContain(`${corrected} was edited, so it was not replaced; the new file is beside it`);
  expect(await readFile(corrected, 'utf8')).toContain('b,https://videos.example/b.mp4,');
  expect(again.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect([again.campaign, again.columns, again.rows.map(({ key, cells }) => [key, cells.note])]).toEqual([
    'spring',
    ['key', 'source', 'platform', 'title', 'note'],
    [['b', 'two\nlines']],
  ]);
});

test('rejected rows keep the delimiter of their sheet', async () => {
  await writeFile(manifest, SHEET.replaceAll(',', ';'));
  const platforms = [{ name: 'platform_a', kind: 'short' as const }];
  const reading = await readManifest({ path: manifest }, { platforms, now: Date.now() });
  const { rejected } = partitionRows(reading, reading.problems);
  const output = { warn: () => undefined, event: async () => undefined } as never;
  await writeRejected(
    { reading, rejected },
    { home, folder: join(home, 'out'), run: { campaign: 'spring', number: 1 }, output },
  );
  expect(await readFile(join(home, 'out', 'rejected.csv'), 'utf8')).toMatch(
    /^\ufeffkey;source;platform;title;note;reelay_/,
  );
});

test('a trial of a key that no row has is refused, and says which keys there are', async () => {
  await writeFile(manifest, SHEET.replace('b,,short', 'b,https://videos.example/b.mp4,short'));
  const { code, answer } = await plan('--key', 'zz');
  expect([code, answer]).toMatchObject([2, { error: { code: 'usage', message: expect.stringContaining('“zz”') } }]);
  expect(await plan('--key', 'a', '--no-probe')).toMatchObject({ code: 0 });
});
