import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../cli/config/config';
import { confirmKeyVariable } from '../../../cli/config/key-variables';
import { loadSettings } from '../../../cli/config/settings';
import { runCli } from '../../../cli/run-cli';
import { bindAccounts } from '../../../cli/stack/engine';
import { AccountRebindError } from '../../../ledger/model/errors';
import { openLedger } from '../../../ledger/open';
import { buildAccounts } from '../../../worker/accounts';
import { entry, submission } from '../../ledger/support';
import { CapturedStream } from '../capture';

const before = { ...process.env };
let folder: string;
let inner: string;
let config: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-trust-'));
  inner = join(folder, 'shows', 'spring');
  config = join(folder, 'reelay.config.yaml');
  await mkdir(inner, { recursive: true, mode: 0o755 });
  await writeFile(config, 'timezone: Europe/Berlin\n', { mode: 0o644 });
});
afterEach(async () => {
  process.env = { ...before };
  await rm(folder, { recursive: true, force: true });
});

describe('a config that is found', () => {
  const found = () => loadConfig({ path: null, cwd: inner });

  test('is used where only its user can write to it', async () => {
    expect((await found()).path).toBe(config);
  });

  test('is refused in a folder that others can write to, until it is named', async () => {
    await chmod(folder, 0o777);
    await expect(found()).rejects.toMatchObject({
      code: 'config-not-yours',
      exitCode: 2,
      hint: expect.stringContaining(`--config ${config}`),
    });
    expect((await loadConfig({ path: config, cwd: inner })).path).toBe(config);
  });

  test('is refused where others can write to the file itself', async () => {
    await chmod(config, 0o666);
    await expect(found()).rejects.toMatchObject({ code: 'config-not-yours' });
  });

  test('is refused below a folder that others can write to: they could put another in its place', async () => {
    const middle = join(folder, 'shows');
    await writeFile(join(inner, 'reelay.config.yaml'), 'timezone: UTC\n', { mode: 0o644 });
    await chmod(middle, 0o777);
    await expect(found()).rejects.toMatchObject({ code: 'config-not-yours' });
  });
});

// Only root can give a file away.
(process.getuid?.() === 0 ? test : test.skip)('a config of another user is refused', async () => {
  await chown(config, 12_345, 12_345);
  await expect(loadConfig({ path: null, cwd: inner })).rejects.toMatchObject({
    code: 'config-not-yours',
    message: expect.stringContaining('belongs to another user'),
  });
});

describe('the variable that a config takes its key from', () => {
  const key = async (flags: Parameters<typeof loadSettings>[0] = {}) =>
    (
      await loadSettings(flags, { REELAY_HOME: join(folder, 'home'), GITHUB_TOKEN: 'ghp_1', REELAY_SHOP: 'k' }, inner)
    ).apiKey();

  test('is one of reelay’s own, or one that the user confirmed', async () => {
    await writeFile(config, 'base_url: https://stranger.example\napi_key_env: GITHUB_TOKEN\n');
    await expect(key()).rejects.toMatchObject({ code: 'key-variable', exitCode: 2 });
    await confirmKeyVariable('GITHUB_TOKEN', join(folder, 'home'));
    await expect(key()).resolves.toBe('ghp_1');
    await writeFile(config, 'api_key_env: REELAY_SHOP\n');
    await expect(key()).resolves.toBe('k');
  });

  test('is any where the user names the config', async () => {
    await writeFile(config, 'api_key_env: GITHUB_TOKEN\n');
    await expect(key({ config })).resolves.toBe('ghp_1');
  });
});

describe('an account that the ledger binds to another address', () => {
  const seen: string[] = [];
  let server: Server;
  beforeEach(async () => {
    seen.splice(0);
    server = createServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      response.end('{"profiles": [], "total": 0}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const home = join(folder, 'home');
    await mkdir(home);
    const ledger = await openLedger({ path: join(home, 'ledger.db') });
    await ledger.bindAccount({ account: 'default', baseUrl: 'https://service.example' });
    await ledger.close();
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    process.env = {
      ...before,
      REELAY_HOME: home,
      REELAY_BASE_URL: url,
      REELAY_API_KEY: 'the-key',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    };
    // Another folder's config would be asked for first.
    await rm(config);
    await writeFile(join(folder, 'sheet.csv'), 'key,source,platform,profile\na,https://v.example/a.mp4,short,Garden\n');
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test.each([
    ['profiles'],
    ['profiles', 'show', 'Garden'],
    ['publications'],
    ['publications', 'delete', 'x', '--yes'],
    ['publications', 'adopt', 'x', '--campaign', 'c', '--key', 'k'],
    ['plan', 'sheet.csv'],
    ['run', 'sheet.csv'],
    ['doctor'],
  ])('gets no key from `%s`', async (...args) => {
    const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
    const words = args.map((word) => (word === 'sheet.csv' ? join(folder, word) : word));
    expect(await runCli(words, { stdout, stderr })).not.toBe(0);
    expect(seen).toEqual([]);
  });

  test('gets it once the change is confirmed', async () => {
    const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
    await runCli(['submit', join(folder, 'sheet.csv'), '--confirm-base-url', '--single-host'], { stdout, stderr });
    expect(seen[0]).toBe('Bearer the-key');
  });

  describe('and that has rows', () => {
    let address = (url: string): string => url;
    afterEach(() => {
      address = (url) => url;
    });
    const accounts = (names: readonly string[]): string =>
      names
        .map(
          (name) =>
            `  ${name}: { base_url: "${address(process.env.REELAY_BASE_URL ?? '')}", api_key_env: REELAY_KEY_${name} }`,
        )
        .join('\n');
    const run = async (names: readonly string[], ...flags: string[]): Promise<string> => {
      const config = join(folder, 'accounts.yaml');
      await writeFile(config, `account: ${String(names[0])}\naccounts:\n${accounts(names)}\n`);
      const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
      await runCli(['submit', join(folder, 'sheet.csv'), '--single-host', '--config', config, ...flags], {
        stdout,
        stderr,
      });
      return stderr.text;
    };
    beforeEach(async () => {
      const ledger = await openLedger({ path: join(process.env.REELAY_HOME ?? '', 'ledger.db') });
      const baseUrl = process.env.REELAY_BASE_URL ?? '';
      await ledger.bindAccount({ account: 'cafe', baseUrl });
      await ledger.bindAccount({ account: 'unused', baseUrl });
      const rows = [{ ...entry(0, 'one'), account: 'cafe' }];
      await ledger.submit(submission(rows));
      const begun = await ledger.beginRun({ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'w' });
      await ledger.importSubmissions(begun!);
      await ledger.close();
      Object.assign(process.env, { REELAY_KEY_cafe: 'cafe-key', REELAY_KEY_main: 'main-key', REELAY_KEY_unused: 'k' });
    });

    test('is not known under a new name: nothing is sent until it has the earlier one, or the change is confirmed', async () => {
      expect(await run(['main'])).toContain(
        'account main is new in this ledger, at the address of account cafe, which has rows in it and isn’t configured any more',
      );
      expect(seen).toEqual([]);
      await run(['cafe']);
      expect(seen[0]).toBe('Bearer cafe-key');
      await run(['main'], '--confirm-base-url');
      expect(seen.at(-1)).toBe('Bearer main-key');
    });

    test.each([
      ['another name of the machine', (url: string) => url.replace('127.0.0.1', 'localhost')],
      ['a dot at its end', (url: string) => url.replace('127.0.0.1', 'localhost.')],
      ['capitals and slashes', (url: string) => `${url.replace('http', 'HTTP')}//v1//`],
      ['another scheme', (url: string) => url.replace('http', 'https')],
    ])('is recognised under a new name if its address is written with %s', async (_, written) => {
      address = written;
      expect(await run(['main'])).toContain('account main is new in this ledger, at the address of account cafe');
      expect(seen).toEqual([]);
    });

    test('is bound to what is written now if that is the same address, written differently', async () => {
      const url = process.env.REELAY_BASE_URL ?? '';
      const ledger = await openLedger({ path: join(process.env.REELAY_HOME ?? '', 'ledger.db') });
      // As an earlier version wrote it.
      await ledger.bindAccount({ account: 'cafe', baseUrl: url.replace('127.0.0.1', 'localhost.'), confirm: true });
      const bind = (baseUrl: string) => {
        const setting = { name: 'cafe', baseUrl, apiKey: 'k', exclusive: false, trust429: false };
        return bindAccounts(ledger, buildAccounts([setting]), { names: ['cafe'], confirm: false });
      };
      await bind(`${url}//v1/`);
      expect((await ledger.status()).accounts).toContainEqual(expect.objectContaining({ name: 'cafe', baseUrl: url }));
      await expect(bind(url.replace('http', 'https'))).rejects.toThrow(AccountRebindError);
      await ledger.close();
    });

    test('is no obstacle to a new account while it is still configured', async () => {
      expect(await run(['main', 'cafe'])).not.toContain('account main is new');
      expect(seen).toContain('Bearer main-key');
    });
  });
});
