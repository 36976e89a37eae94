import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { loadSettings } from '../../../cli/config/settings';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { CapturedStream } from '../capture';

let garden: RunningSandbox;
let cafe: RunningSandbox;
let folder: string;
const before = { ...process.env };
const KEYS = { REELAY_API_KEY_GARDEN: 'garden-key', REELAY_CAFE_KEY: 'cafe-key' };

beforeAll(async () => {
  garden = await startSandbox({ apiKey: 'garden-key' });
  cafe = await startSandbox({
    apiKey: 'cafe-key',
    platforms: { short: 'shorts', long: 'films' },
    profiles: [{ id: 'p-cafe', name: 'Cafe', created_at: '2026-01-01T00:00:00.000Z', channels: [] }],
  });
});
afterAll(() => Promise.all([garden.close(), cafe.close()]));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-accounts-'));
  process.env = { ...before, REELAY_HOME: join(folder, 'home'), ...KEYS };
  delete process.env['REELAY_API_KEY'];
  await writeConfig();
});
afterEach(async () => {
  process.env = { ...before };
  await rm(folder, { recursive: true, force: true });
});

const writeConfig = (extra = ''): Promise<void> =>
  writeFile(
    join(folder, 'reelay.config.yaml'),
    `accounts:
  garden:
    base_url: ${garden.baseUrl}
    defaults: { profile: Garden, privacy.long: unlisted }
  cafe:
    base_url: ${cafe.baseUrl}
    api_key_env: REELAY_CAFE_KEY
    platforms:
      - { name: shorts, kind: short, title_limit: 20 }
      - { name: films, kind: long }
${extra}`,
  );

const load = (env: Record<string, string> = {}, flags: Parameters<typeof loadSettings>[0] = {}) =>
  loadSettings(flags, { REELAY_HOME: join(folder, 'home'), ...env }, folder);

interface Answer {
  problems: { severity: string; code: string; line: number }[];
  plan: { channel: string }[];
  error: object;
}

async function plan(rows: string, ...flags: string[]) {
  await writeFile(join(folder, 'spring.csv'), rows);
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const manifest = join(folder, 'spring.csv');
  const config = join(folder, 'reelay.config.yaml');
  const args = ['plan', manifest, '--config', config, '--rows', '--no-probe', '-o', 'json', ...flags];
  const code = await runCli(args, { stdout, stderr });
  return { code, said: stdout.text + stderr.text, answer: JSON.parse(stdout.text) as Answer };
}

const TWO = `key,account,platform,title,source
a,garden,long,In the garden,https://videos.example/a.mp4
b,cafe,short,In the cafe,https://videos.example/b.mp4
`;

test('each account is asked with its own key, and has its own platforms and defaults', async () => {
  const { code, answer } = await plan(TWO);
  expect(code).toBe(0);
  expect(answer.plan).toMatchObject([
    { key: 'a', action: 'create', privacy: 'unlisted', channel: expect.stringMatching(/^garden.*platform_b/) },
    { key: 'b', action: 'create', privacy: null, channel: expect.stringMatching(/^cafe.*shorts/) },
  ]);
});

test('an account whose key isn’t set here is refused by its variable, and no other key is tried', async () => {
  delete process.env['REELAY_CAFE_KEY'];
  process.env['REELAY_API_KEY'] = 'a-key-of-somebody-else';
  const asked = JSON.stringify(cafe.stats());
  const { code, answer } = await plan(TWO);
  expect(code).toBe(2);
  expect(answer.error).toMatchObject({
    code: 'no-api-key',
    message: expect.stringMatching(/account cafe.*REELAY_CAFE_KEY/),
  });
  expect(JSON.stringify(cafe.stats())).toBe(asked);
});

test('a manifest that names no such account can’t miss its key', async () => {
  delete process.env['REELAY_CAFE_KEY'];
  const { code } = await plan('key,account,platform,title,source\na,garden,short,One,https://videos.example/a.mp4\n');
  expect(code).toBe(0);
});

test('exchanged keys are refused by the services: one never replaces the other', async () => {
  Object.assign(process.env, { REELAY_API_KEY_GARDEN: 'cafe-key', REELAY_CAFE_KEY: 'garden-key' });
  const { code, said } = await plan(TWO);
  expect(code).toBe(4);
  expect(said).not.toMatch(/cafe-key|garden-key/);
});

test('a worker refuses to start while it lacks one of the keys', async () => {
  delete process.env['REELAY_API_KEY_GARDEN'];
  const stdout = new CapturedStream();
  const config = join(folder, 'reelay.config.yaml');
  const code = await runCli(['worker', '--config', config, '-o', 'json'], { stdout, stderr: new CapturedStream() });
  expect([code, stdout.text]).toEqual([2, expect.stringContaining('REELAY_API_KEY_GARDEN')]);
});

test('a row that names no account goes to the one asked for; without one it is refused, and so is an unknown one', async () => {
  const rows = 'key,platform,title,source\na,short,One,https://videos.example/a.mp4\n';
  expect(await plan(rows)).toMatchObject({ code: 3, answer: { problems: [{ code: 'account-unknown', line: 2 }] } });
  expect((await plan(rows, '--account', 'cafe')).answer.plan[0]?.channel).toMatch(/^cafe/);
  expect(await plan(rows, '--account', 'caffe')).toMatchObject({ code: 2, answer: { error: { code: 'no-account' } } });
  expect(await plan(TWO.replace('cafe,', 'caffe,'))).toMatchObject({
    code: 3,
    answer: { problems: [{ code: 'account-unknown', message: expect.stringContaining('“cafe”') }] },
  });
  // A row's own account is kept, whatever is requested for the others.
  expect((await plan(TWO, '--account', 'cafe')).answer.plan[0]?.channel).toMatch(/^garden/);
});

test('a stricter limit of one account holds for its rows alone', async () => {
  const long = 'A title of more than twenty';
  const rows = `key,account,platform,title,source
a,garden,short,${long},https://videos.example/a.mp4
b,cafe,short,${long},https://videos.example/b.mp4
`;
  expect((await plan(rows)).answer.problems.filter(({ severity }) => severity === 'error')).toEqual([
    expect.objectContaining({ code: 'title-too-long', line: 3 }),
  ]);
});

test('limits above the interface’s are refused with their line, as is a key written into the file', async () => {
  await writeConfig('  shop:\n    platforms:\n      - { name: s, kind: long, title_limit: 101 }\n');
  await expect(load(KEYS)).rejects.toMatchObject({
    message: expect.stringMatching(/line \d+.*title_limit: is above.* 100/),
  });
  await writeConfig('  shop:\n    api_key: s3cret\n');
  const said = await load(KEYS).then(String, String);
  expect(said).toMatch(/accounts\.shop\.api_key: never put a key into this file/);
  expect(said).not.toContain('s3cret');
});

test('two accounts that would take their key from one place are refused', async () => {
  await writeConfig('  Cafe-2:\n    api_key_env: REELAY_CAFE_KEY\n');
  await expect(load(KEYS)).rejects.toMatchObject({
    code: 'key-shared',
    message: expect.stringContaining('REELAY_CAFE_KEY'),
  });
});

test('two accounts with the same key for the same address are refused, without showing the key', async () => {
  const shared = async (env: Record<string, string>, sandbox = false): Promise<string> =>
    load({ ...KEYS, ...env }, { sandbox }).then(
      () => 'accepted',
      (error: unknown) => `${(error as { code: string }).code}: ${String(error)}`,
    );
  await writeConfig(`  brand:\n    base_url: ${garden.baseUrl}/v1/\n    api_key_file: brand.key\n`);
  await writeFile(join(folder, 'brand.key'), 'garden-key\n');
  const found = await shared({});
  expect(found).toMatch(/^key-shared: .*accounts garden and brand have the same key/);
  expect(found).not.toContain('garden-key');
  expect(await shared({}, true)).toBe('accepted');
  // The same key for another address is another account.
  await writeFile(join(folder, 'brand.key'), 'cafe-key\n');
  expect(await shared({})).toBe('accepted');
});

test('an account with the key and address of the implicit one is refused', async () => {
  const path = join(folder, 'reelay.config.yaml');
  await writeFile(path, `base_url: ${garden.baseUrl}\naccounts: { brand: {} }\n`);
  const env = { REELAY_API_KEY: 'garden-key' };
  await expect(load({ ...env, REELAY_API_KEY_BRAND: 'garden-key' })).rejects.toMatchObject({
    code: 'key-shared',
    message: expect.stringContaining('default and brand'),
  });
  await expect(load({ ...env, REELAY_API_KEY_BRAND: 'other-key' })).resolves.toMatchObject({ account: 'default' });
});

test('the account of what names none: flag, variable, config, the only one', async () => {
  await writeConfig('account: cafe\n');
  expect((await load(KEYS)).account).toBe('cafe');
  expect((await load({ ...KEYS, REELAY_ACCOUNT: 'garden' })).account).toBe('garden');
  expect((await load({ ...KEYS, REELAY_ACCOUNT: 'garden' }, { account: 'cafe' })).account).toBe('cafe');
  await writeFile(join(folder, 'reelay.config.yaml'), 'base_url: https://x.example\naccounts: { only: {} }\n');
  const settings = await load({ REELAY_API_KEY_ONLY: 'k' });
  expect([settings.account, settings.baseUrl(), await settings.apiKey()]).toEqual(['only', 'https://x.example', 'k']);
});

test('--base-url never sends a key to an address that isn’t its account’s', async () => {
  await writeConfig('account: cafe\n');
  await expect(load(KEYS, { baseUrl: 'https://elsewhere.example' })).rejects.toMatchObject({ code: 'base-url-owned' });
});

test('the command of notifications gets the variables that every program needs and those that `notify.env` names', async () => {
  await writeConfig('notify:\n  command: [./tell]\n  url_env: REELAY_HOOK\n  env: [SLACK_CHANNEL, NOT_SET]\n');
  const needed = {
    ...{ PATH: '/bin', HOME: '/home/me', USER: 'me', SHELL: '/bin/sh', TMPDIR: '/tmp', TZ: 'UTC' },
    ...{ LANG: 'C.UTF-8', LC_TIME: 'C', https_proxy: 'http://proxy.example:3128', NO_PROXY: 'localhost' },
  };
  const secret = {
    ...{ GITHUB_TOKEN: 's', AWS_SECRET_ACCESS_KEY: 's', DATABASE_URL: 's', NODE_OPTIONS: 's', PIP_INDEX_URL: 's' },
    ...{ REELAY_HOOK: 'https://hooks.example/s', REELAY_API_KEY_OLD: 's', TEMPORAL_API_KEY: 's' },
  };
  const { notify } = await load({ ...KEYS, ...secret, ...needed, SLACK_CHANNEL: '#videos' });
  expect(notify?.env).toEqual({ ...needed, SLACK_CHANNEL: '#videos' });
});

test.each(['REELAY_API_KEY_GARDEN', 'REELAY_CAFE_KEY', 'REELAY_API_KEY', 'TEMPORAL_API_KEY', 'REELAY_HOOK'])(
  '`notify.env` can’t name %s',
  async (name) => {
    await writeConfig(`notify:\n  command: [./tell]\n  url_env: REELAY_HOOK\n  env: [${name}]\n`);
    for (const sandbox of [false, true]) {
      await expect(load(KEYS, { sandbox })).rejects.toMatchObject({ code: 'notify-secret', exitCode: 2 });
    }
  },
);

test('in a rehearsal the sandbox, with its key, replaces every account under the account’s name', async () => {
  const settings = await load(KEYS, { sandbox: true });
  expect(settings.accounts.map(({ name }) => name)).toEqual(['garden', 'cafe']);
  for (const account of settings.accounts) await expect(account.apiKey()).resolves.toBe('sandbox-key');
});
