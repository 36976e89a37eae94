import { createServer, type Server } from 'node:http';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { thisHost } from '../../../../cli/stack/engine';
import { runCli } from '../../../../cli/run-cli';
import { endedProcesses } from '../../../../cli/commands/operate/doctor/ended-processes';
import { loadSettings, SANDBOX_KEY } from '../../../../cli/config/settings';
import { writeRecord } from '../../../../embedded/stack/home';
import { openLedger } from '../../../../ledger/open';
import { startSandbox } from '../../../../sandbox/server';
import { currentProcess } from '../../../../host/process-identity';
import { CapturedStream } from '../../capture';

interface Answer {
  ok: boolean;
  exit_code: number;
  settings: { name: string; value: string; from: string }[];
  checks: { part: string; state: string; message: string; hint: string | null }[];
}

const KEY = 'key-of-a-test-4711';
let folder: string;
let service: Server;
/** ms that the service's clock is ahead. */
let ahead = 0;
const kept = { ...process.env };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-doctor-'));
  ahead = 0;
  service = createServer((request, response) => {
    response.setHeader('date', new Date(Date.now() + ahead).toUTCString());
    response.setHeader('content-type', 'application/json');
    if (request.headers.authorization !== `Bearer ${KEY}`) response.writeHead(401).end('{"error":"no"}');
    else
      response.end(
        JSON.stringify({ profiles: [{ id: 'p1', name: 'Garden', channels: [{ platform: 'tube' }] }], total: 1 }),
      );
  });
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
  for (const name of Object.keys(process.env))
    if (/^(REELAY_|TEMPORAL_)/.test(name)) Reflect.deleteProperty(process.env, name);
  process.env.REELAY_API_KEY = KEY;
});
afterEach(async () => {
  service.closeAllConnections();
  await new Promise((done) => service.close(done));
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
  Object.assign(process.env, kept);
});

const config = (text: string): Promise<void> => writeFile(join(folder, 'c.yaml'), text);
const address = (): string => `http://127.0.0.1:${String((service.address() as AddressInfo).port)}`;

async function doctor(...more: string[]): Promise<{ code: number; answer: Answer; text: string }> {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const flags = ['--home', join(folder, 'home'), '--config', join(folder, 'c.yaml'), '-o', 'json'];
  const code = await runCli(['doctor', ...flags, ...more], { stdout, stderr });
  return { code, answer: JSON.parse(stdout.text) as Answer, text: stdout.text + stderr.text };
}
const part = (answer: Answer, name: string): Answer['checks'][number] | undefined =>
  answer.checks.find((one) => one.part === name);

describe('doctor', () => {
  test('finds a good setup good, says where each setting came from, and leaves nothing behind', async () => {
    await config('platforms: [{name: tube, kind: long}]\nlate: skip\n');
    const { code, answer, text } = await doctor('--base-url', address());
    expect(answer.checks.filter((one) => !['ok', 'skipped'].includes(one.state))).toEqual([]);
    expect({ code, ok: answer.ok }).toEqual({ code: 0, ok: true });
    expect(part(answer, 'profiles')?.message).toContain('Garden');
    const from = Object.fromEntries(answer.settings.map((one) => [one.name, one.from]));
    expect(from).toMatchObject({
      base_url: 'flag --base-url',
      home: 'flag --home',
      api_key: 'REELAY_API_KEY',
      late: join(folder, 'c.yaml'),
    });
    expect(text).not.toContain(KEY);
    expect(await readdir(folder)).toEqual(['c.yaml']);
  });

  test('says whether notices would go out: nothing is sent by it, and no more than the origin shown', async () => {
    const asked: string[] = [];
    service.on('request', ({ url }: { url: string }) => asked.push(url));
    const notify = (text: string): Promise<void> => config(`base_url: ${address()}\nnotify:\n${text}`);
    const findings = async (): Promise<string[]> => {
      const { answer, text } = await doctor();
      expect(text).not.toMatch(/secret/);
      return answer.checks.flatMap(({ part: of, state, message }) => (of === 'notify' ? [`${state} ${message}`] : []));
    };
    await writeFile(join(folder, 'tell'), '#!/bin/sh\n');
    await notify(`  command: [./tell]\n  url: ${address()}/hook?secret\n`);
    expect(await findings()).toEqual([
      `warning the command ${join(folder, 'tell')} may not be executed`,
      `ok ${address()} can be reached`,
    ]);
    await chmod(join(folder, 'tell'), 0o755);
    await notify('  command: [./tell]\n  url: http://127.0.0.1:1/secret\n');
    expect(await findings()).toEqual([
      `ok the command ${join(folder, 'tell')}`,
      'warning http://127.0.0.1:1 can’t be reached: ECONNREFUSED',
    ]);
    await notify('  command: no-such-program-here\n  url_env: NOTICE_SECRET_URL\n');
    process.env['NOTICE_SECRET_URL'] = 'hooks.example/secret';
    const { answer } = await doctor();
    delete process.env['NOTICE_SECRET_URL'];
    expect(answer.checks.filter(({ part: of }) => of === 'notify').map(({ message }) => message)).toEqual([
      'NOTICE_SECRET_URL holds no http(s) address',
      'the command can’t be started: “no-such-program-here” is not on the PATH',
    ]);
    expect(asked.filter((url) => url.includes('hook'))).toEqual([]);
    await config(`base_url: ${address()}\n`);
    expect((await findings())[0]).toMatch(/^ok no notifications configured/);
  });

  test('a key that the service refuses ends with 4, and the rest is looked at all the same', async () => {
    await config(`base_url: ${address()}\n`);
    process.env.REELAY_API_KEY = 'another-key-0815';
    const { code, answer, text } = await doctor();
    expect(code).toBe(4);
    expect(part(answer, 'service')).toMatchObject({ state: 'error', hint: expect.stringContaining('API key') });
    expect(part(answer, 'disk')?.state).not.toBe('skipped');
    expect(text).not.toContain('another-key-0815');
  });

  test('every account is asked, each with its own key', async () => {
    // Another address: one key may not be used for two accounts at the same one.
    const good = `${address()}/good`;
    const accounts = `accounts:\n  main: {}\n  good: { base_url: "${good}" }\n  bad: {}\n  none: {}\n`;
    await config(`base_url: ${address()}\naccount: main\n${accounts}`);
    Reflect.deleteProperty(process.env, 'REELAY_API_KEY');
    Object.assign(process.env, {
      REELAY_API_KEY_MAIN: KEY,
      REELAY_API_KEY_GOOD: KEY,
      REELAY_API_KEY_BAD: 'another-key-0815',
    });
    const { code, answer, text } = await doctor();
    const found = answer.checks.filter((one) => one.part === 'account');
    expect(found.map(({ state, message }) => [state, message.split(':')[0]]).sort()).toEqual([
      ['error', 'bad'],
      ['error', 'none'],
      ['ok', 'good'],
    ]);
    expect(found.find((one) => one.message.startsWith('none'))?.message).toContain('REELAY_API_KEY_NONE');
    expect(code).toBe(4);
    for (const secret of [KEY, 'another-key-0815']) expect(text).not.toContain(secret);
  });

  test('platform names that no channel shows, and a clock that is off, are warnings with their mending', async () => {
    await config(`base_url: ${address()}\n`);
    ahead = 600_000;
    const { code, answer } = await doctor();
    expect(code).toBe(0);
    expect(part(answer, 'platforms')).toMatchObject({
      state: 'warning',
      message:
        'the account has channels on tube; no channel is on platform_a, platform_b; tube can’t be used in manifests',
      hint: expect.stringContaining('reelay.config.yaml'),
    });
    expect(part(answer, 'clock')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('10 min behind'),
    });
  });

  test('the sandbox’s own platforms need no mending, which nothing could do', async () => {
    await config('');
    const home = join(folder, 'home', 'sandbox');
    await mkdir(home, { recursive: true });
    const sandbox = await startSandbox({ apiKey: SANDBOX_KEY });
    try {
      await writeRecord(home, {
        version: 1,
        state: 'ready',
        owner: currentProcess(),
        startedAt: new Date().toISOString(),
        namespace: 'reelay-sandbox',
        temporal: { address: '127.0.0.1:1', webUi: null },
        sandbox: { baseUrl: sandbox.baseUrl },
        processes: [],
        controlSocket: null,
      });
      const { answer } = await doctor('--sandbox');
      expect(part(answer, 'platforms')).toMatchObject({ state: 'ok', hint: null });
      expect(part(answer, 'platforms')?.message).toContain('platform_c');
    } finally {
      await sandbox.close();
    }
  });

  test('the ledger is read without changing its file; one that was rolled back is reported', async () => {
    await config(`base_url: ${address()}\n`);
    const path = join(folder, 'home', 'ledger.db');
    await (await openLedger({ path }, { host: await thisHost() })).close();
    // The driver lets go of a closed file only when its statements are collected, and writes then what was in the WAL.
    const database = new Database(path);
    database.prepare('pragma wal_checkpoint(truncate)').all();
    database.close();
    const before = [await readFile(path), (await stat(path)).mtimeMs];
    const good = await doctor();
    expect(part(good.answer, 'ledger')?.state).toBe('ok');
    expect(part(good.answer, 'migrations')).toMatchObject({
      state: 'ok',
      message: 'the ledger has this version’s format',
    });
    expect([await readFile(path), (await stat(path)).mtimeMs]).toEqual(before);

    await writeFile(path.replace('.db', '.seq'), JSON.stringify({ ledger: 'another', sequence: 7 }));
    const { code, answer } = await doctor();
    expect(code).toBe(7);
    expect(part(answer, 'ledger')).toMatchObject({ state: 'error', hint: expect.stringContaining('ledger reconcile') });
  });

  test('a file that is no ledger, and a ledger of another machine, are errors', async () => {
    await config(`base_url: ${address()}\n`);
    const path = join(folder, 'home', 'ledger.db');
    await (await openLedger({ path }, { host: { id: 'elsewhere', boot: 'then' } })).close();
    expect(part((await doctor()).answer, 'ledger')).toMatchObject({
      state: 'error',
      hint: expect.stringContaining('--new-host'),
    });
    for (const name of await readdir(join(folder, 'home'))) await rm(join(folder, 'home', name), { force: true });
    await writeFile(path, 'this is a text, and no database at all'.repeat(100));
    const { code, answer } = await doctor();
    expect(code).toBe(7);
    expect(part(answer, 'ledger')?.message).toContain('is damaged');
  });

  test('a broken config is reported with its line, secrets of the environment never', async () => {
    await config('base_url: x\nlat: skip\n');
    const broken = await doctor();
    expect(broken.code).toBe(2);
    expect(part(broken.answer, 'configuration')?.message).toContain('line 2');
    await config(`base_url: ${address()}\n`);
    process.env.TEMPORAL_API_KEY = 'temporal-secret';
    process.env.TEMPORAL_ADDRESS = '127.0.0.1:1';
    process.env.TEMPORAL_TLS = 'false';
    process.env.HTTPS_PROXY = 'http://user:proxy-secret@proxy.example:3128';
    const { code, answer, text } = await doctor();
    for (const name of ['TEMPORAL_API_KEY', 'TEMPORAL_ADDRESS', 'TEMPORAL_TLS', 'HTTPS_PROXY'])
      Reflect.deleteProperty(process.env, name);
    expect(text).not.toMatch(/temporal-secret|proxy-secret/);
    expect(answer.settings).toContainEqual({ name: 'TEMPORAL_API_KEY', value: '***', from: 'environment' });
    expect(part(answer, 'temporal')).toMatchObject({ state: 'error', message: expect.stringContaining('127.0.0.1:1') });
    expect(code).toBe(7);
  });

  test('a home that others can read, or that is a file, is reported', async () => {
    await config(`base_url: ${address()}\n`);
    await mkdir(join(folder, 'home'), { mode: 0o755 });
    await chmod(join(folder, 'home'), 0o755);
    expect(part((await doctor()).answer, 'home')).toMatchObject({
      state: 'warning',
      hint: expect.stringContaining('chmod 700'),
    });
    await rm(join(folder, 'home'), { recursive: true });
    await writeFile(join(folder, 'home'), '');
    expect(part((await doctor()).answer, 'home')?.state).toBe('error');
  });
});

test('a worker that Temporal still lists is shown as ended if its process is gone', async () => {
  const home = join(folder, 'home');
  await mkdir(home);
  const settings = await loadSettings({ home });
  const ledger = await openLedger({ path: join(home, 'ledger.db') }, { host: await thisHost() });
  const self = currentProcess();
  // A pid that another process has by now, which the start time shows.
  await ledger.registerWorker({ ...self, id: 'gone', pid: process.ppid, startTime: '1' });
  await ledger.registerWorker(self);
  await ledger.close();
  const seen = [process.pid, process.ppid, 1].map((pid) => ({
    identity: `reelay/0.1.0 ${String(pid)}@${self.hostId.slice(0, 12)}`,
    version: '0.1.0',
    lastSeen: new Date().toISOString(),
  }));
  expect(await endedProcesses(settings, seen)).toEqual([seen[1]]);
});
