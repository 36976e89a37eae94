import { placeOf } from '../../../ledger/model/location';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durationFlag } from '../../../cli/terminal/texts/durations';
import { parseDuration } from '../../../wording/duration';
import { showDuration } from '../../../wording/times';
import { accountRulesOf, rulesOf } from '../../../ledger/pace/pace-rules';
import { loadSettings, SANDBOX_KEY } from '../../../cli/config/settings';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-settings-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const write = (text: string, name = 'reelay.config.yaml'): Promise<void> => writeFile(join(folder, name), text);
const load = (flags: Parameters<typeof loadSettings>[0] = {}, env: Record<string, string> = {}) =>
  loadSettings(flags, { REELAY_HOME: join(folder, 'home'), ...env }, folder);

describe('settings', () => {
  test('a flag overrides the environment, that over the config, that over the default', async () => {
    await write('base_url: https://config.example\n');
    expect((await load()).baseUrl()).toBe('https://config.example');
    expect((await load({}, { REELAY_BASE_URL: 'https://env.example' })).baseUrl()).toBe('https://env.example');
    const both = await load({ baseUrl: 'https://flag.example' }, { REELAY_BASE_URL: 'https://env.example' });
    expect(both.baseUrl()).toBe('https://flag.example');
    expect((await load()).platforms.map(({ name, kind }) => `${name}=${kind}`)).toEqual([
      'platform_a=short',
      'platform_b=long',
    ]);
  });

  test('an account has a pace of its own, over that of all, and for channels of it over both', async () => {
    await write(`pace:
  min_gap: 1h
  creates_per_minute: 60
  channels: [{ profile: Garden, min_gap: 30m }]
accounts:
  garden:
    base_url: https://garden.example
    pace: { min_gap: 10m, creates_per_minute: 5, channels: [{ platform: long, min_gap: 2m }] }
  cafe: { base_url: https://cafe.example }
`);
    const layers = (await load()).campaign.pace ?? [];
    const gap = (account: string, profileName: string, platformKind: string): number | undefined =>
      rulesOf(layers, { account, profileId: null, profileName, platform: platformKind, platformKind }).minGapMs;
    const minutes = 60_000;
    expect(gap('cafe', 'Kitchen', 'long')).toBe(60 * minutes);
    expect(gap('garden', 'Kitchen', 'short')).toBe(10 * minutes);
    expect(gap('garden', 'Garden', 'short')).toBe(30 * minutes);
    expect(gap('garden', 'Garden', 'long')).toBe(2 * minutes);
    expect(accountRulesOf(layers, 'garden')).toEqual({ createsPerMinute: 5 });
    expect(accountRulesOf(layers, 'cafe')).toEqual({ createsPerMinute: 60 });
    await write('accounts: { garden: { base_url: "https://g.example", pace: { min_gap: soon } } }\n');
    await expect(load()).rejects.toThrow(/accounts\.garden\.pace/u);
  });

  test('the config is found in a folder above', async () => {
    await write('timezone: Europe/Berlin\n');
    const deep = join(folder, 'a', 'b');
    await mkdir(deep, { recursive: true });
    const settings = await loadSettings({}, { REELAY_HOME: folder }, deep);
    expect(settings).toMatchObject({ timezone: 'Europe/Berlin', configPath: join(folder, 'reelay.config.yaml') });
  });

  test('other times come from a variable that only tests set, and a wrong one is reported', async () => {
    expect(await load()).toMatchObject({ timings: {}, timeLimits: {} });
    const set = await load({}, { REELAY_TIMINGS: '{"settleMs":700}', REELAY_TIME_LIMITS: '{"answerMs":500}' });
    expect(set).toMatchObject({ timings: { settleMs: 700 }, timeLimits: { answerMs: 500 } });
    for (const wrong of ['{"settleMs":"7 s"}', '{"settleMs":-1}', 'soon']) {
      await expect(load({}, { REELAY_TIMINGS: wrong })).rejects.toThrow('REELAY_TIMINGS');
    }
  });

  test('a missing key names the variable, the configured one where there is one', async () => {
    await expect((await load()).apiKey()).rejects.toMatchObject({
      exitCode: 2,
      code: 'no-api-key',
      message: expect.stringMatching(/REELAY_API_KEY/),
    });
    await write('api_key_env: REELAY_GARDEN_KEY\n');
    await expect((await load()).apiKey()).rejects.toThrow(/REELAY_GARDEN_KEY/);
    await expect((await load({}, { REELAY_GARDEN_KEY: 'k-1' })).apiKey()).resolves.toBe('k-1');
  });

  test('a key file’s line break is dropped; a missing or empty file is reported', async () => {
    await write('k-from-file\r\n', 'key.txt');
    await expect((await load({}, { REELAY_API_KEY_FILE: 'key.txt' })).apiKey()).resolves.toBe('k-from-file');
    await write('\n', 'empty.txt');
    await expect((await load({}, { REELAY_API_KEY_FILE: 'empty.txt' })).apiKey()).rejects.toThrow(/is empty/);
    await expect((await load({}, { REELAY_API_KEY_FILE: 'no.txt' })).apiKey()).rejects.toMatchObject({ exitCode: 2 });
  });

  test('every problem of the config is reported at once, with its line and the nearest name', async () => {
    await write('base_ur: https://x.example\nlate: never\ntemporal:\n  adress: host:7233\n');
    await expect(load()).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /line 1, base_ur: is not known; did you mean “base_url”[^]*line 2, late[^]*line 4, temporal\.adress: is not known/,
      ),
    });
  });

  test('a key in the config is refused without repeating it', async () => {
    await write('api_key: s3cret-value\n');
    const failure = await load().then(String, String);
    expect(failure).toContain('api_key_env');
    expect(failure).not.toContain('s3cret-value');
  });

  test('broken YAML is reported with its line', async () => {
    await write('base_url: "https://x\nlate: hold\n');
    await expect(load()).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(/line \d/) });
  });

  test('a ledger in PostgreSQL has a file in the home that notes how far it was, named without its password', async () => {
    const url = 'postgres://u:pw-1@db.example:5433/reelay';
    const { ledger } = await load({}, { REELAY_DATABASE_URL: url });
    expect(ledger).toEqual({ url, sequenceFile: join(folder, 'home', 'ledger-db.example_5433_reelay.seq') });
    expect(placeOf(ledger)).toBe('postgres://db.example:5433/reelay');
  });

  test.each(['postgres://u:pw-1@db.example', 'postgres://u:pw-1@:5432/x', 'postgres://u:pw%-1@db:port/x'])(
    'an address of PostgreSQL that names no host or database is refused without its password: %s',
    async (url) => {
      const failure = await load({}, { REELAY_DATABASE_URL: url }).then(String, String);
      expect(failure).toMatch(/REELAY_DATABASE_URL: it (names no host or no database|can’t be read)/);
      expect(failure).not.toContain('pw');
    },
  );

  test('the sandbox has a home, a namespace, an account and a key of its own, and leaves the real ones alone', async () => {
    await write(
      'temporal:\n  address: cluster.example:7233\nexclusive: false\nplatforms: [{name: vids, kind: long}]\n',
    );
    const env = {
      REELAY_API_KEY: 'real-key',
      REELAY_DATABASE_URL: join(folder, 'real.db'),
      TEMPORAL_ADDRESS: 'cluster.example:7233',
    };
    const settings = await load({ sandbox: true }, env);
    expect(settings).toMatchObject({
      home: join(folder, 'home', 'sandbox'),
      account: 'sandbox',
      ledger: { path: join(folder, 'home', 'sandbox', 'ledger.db') },
    });
    await expect(settings.apiKey()).resolves.toBe(SANDBOX_KEY);
    await expect(settings.temporal()).resolves.toMatchObject({ configured: false, namespace: 'reelay-sandbox' });
  });

  test('Temporal comes from the environment before the config, and only when one of them names it', async () => {
    await expect((await load()).temporal()).resolves.toMatchObject({ configured: false, namespace: 'default' });
    await write('temporal: { address: "a.example:7233", namespace: team }\n');
    await expect((await load()).temporal()).resolves.toMatchObject({
      configured: true,
      address: 'a.example:7233',
      namespace: 'team',
    });
    const settings = await load({}, { TEMPORAL_ADDRESS: 'b.example:7233', TEMPORAL_NAMESPACE: 'other' });
    await expect(settings.temporal()).resolves.toMatchObject({
      configured: true,
      address: 'b.example:7233',
      namespace: 'other',
    });
  });

  test('campaign settings of the config reach the reader of manifests', async () => {
    await write('late: skip\ngive_up_after: 2h\nrepeat: allow\n');
    expect((await load()).campaign).toEqual({ late: 'skip', giveUpAfterMs: 7_200_000, repeat: 'allow' });
  });
});

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1.5h', 5_400_000],
    ['90', undefined],
    ['soon', undefined],
    ['-1h', undefined],
    ['', undefined],
  ])('%s is %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test('a flag that is none says what one looks like', () => {
    expect(() => durationFlag('--timeout', '90')).toThrow(/--timeout: “90” is not a duration/);
  });

  test('they are shown in the unit that people would use', () => {
    expect([45_000, 180_000, 7_800_000, 273_600_000].map(showDuration)).toEqual([
      '45 s',
      '3 min',
      '2 h 10 min',
      '3 d 4 h',
    ]);
  });
});
