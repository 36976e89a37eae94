import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../../../cli/config/settings';
import { runCli } from '../../../../cli/run-cli';
import { sandboxPlatforms } from '../../../../cli/stack/embedded-stack';
import { optionsFromFlags } from '../../../../sandbox/flags';
import { parseAdopted } from '../../../../sandbox/profiles';
import { startSandbox } from '../../../../sandbox/server';
import { CapturedStream } from '../../capture';

let folder: string;
const before = { ...process.env };
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-init-'));
  process.env.REELAY_HOME = join(folder, 'home');
  process.env.REELAY_API_KEY = 'their-key';
});
afterEach(async () => {
  process.env = { ...before };
  for (const close of closing.splice(0)) await close();
  await rm(folder, { recursive: true, force: true });
});

async function cli(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const code = await runCli(args, { stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

async function start(options: Parameters<typeof startSandbox>[0]): Promise<string> {
  const running = await startSandbox(options);
  closing.push(() => running.close());
  return running.baseUrl;
}

test('for the sandbox, init says that no config is written', async () => {
  const { code, stderr } = await cli('init', '--sandbox', '--dir', folder);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('No reelay.config.yaml was written: the sandbox needs none.'),
  ]);
  expect(stderr).toMatch(/\nNext:\n {2}reelay run \S+campaign\.csv --sandbox\n/u);
});

test('the rehearsal that init suggests has the profiles and platforms of the service', async () => {
  const platforms = { short: 'platform_a', long: 'films', photo: 'stills' };
  const channel = { platform: 'films', account_name: 'a', account_id: 'b', connected_at: '2026-01-02T09:30:00.000Z' };
  const channels = [channel, { ...channel, platform: 'platform_a' }];
  const profile = { id: 'p-77', name: 'Studio Süd', created_at: '2026-01-01T09:00:00.000Z', channels };
  process.env.REELAY_BASE_URL = await start({ apiKey: 'their-key', platforms, profiles: [profile] });
  const made = await cli('init', '--dir', folder);
  expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/--sandbox\n +a rehearsal with your profiles/u)]);

  const config = join(folder, 'reelay.config.yaml');
  await writeFile(config, (await readFile(config, 'utf8')).replace('platform_b', 'films'));
  const settings = await loadSettings({ sandbox: true, config });
  const options = {
    ...optionsFromFlags({ platform: sandboxPlatforms(settings.platforms) }),
    adopted: () => parseAdopted(readFileSync(settings.adopted, 'utf8')),
  };
  process.env.REELAY_BASE_URL = await start({ ...options, apiKey: 'their-key' });
  const sheet = join(folder, 'campaign.csv');
  await writeFile(sheet, (await readFile(sheet, 'utf8')).replaceAll(',yes,', ',no,'));
  const planned = await cli('plan', sheet, '--config', config, '-o', 'json', '--no-probe');
  expect(JSON.parse(planned.stdout)).toMatchObject({ ok: true, actions: { create: 3 } });
});

test('the starter rows of a real service are skipped, and refused where they are not', async () => {
  const settings = await loadSettings({ baseUrl: 'https://publisher.io' });
  expect(settings.sandbox).toBe(false);
  const sheet = join(folder, 'sheet.csv');
  await writeFile(sheet, 'key,title,source,platform\na,A,https://example.com/a.mp4,short\n');
  const refused = await cli('check', sheet, '--base-url', 'https://publisher.io');
  expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining('url-placeholder')]);
  expect((await cli('check', sheet, '--base-url', 'https://publisher.io', '--sandbox')).code).toBe(0);
  expect((await cli('check', sheet, '--base-url', 'http://127.0.0.1:4010')).code).toBe(0);
  // Also where the address is that of the folder's config.
  const config = join(folder, 'reelay.config.yaml');
  await writeFile(config, 'base_url: https://publisher.io\n');
  expect((await cli('check', sheet, '--config', config)).code).toBe(3);
});

test('each role of the sandbox has a platform, whatever is configured', () => {
  expect(sandboxPlatforms([{ name: 'platform_a', kind: 'long' }])).toEqual([
    'long=platform_a',
    'short=sandbox_short',
    'photo=platform_c',
  ]);
});
