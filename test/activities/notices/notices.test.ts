import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  endedNotice,
  type NoticeSettings,
  parkedNotices,
  refusedNotice,
} from '../../../activities/notices/find-notices';
import { noticeText } from '../../../activities/notices/notice-text';
import { sendNotice } from '../../../activities/notices/send-notice';
import { watchPublications } from '../../../activities/run/watch-publications';
import { Hook } from '../../support/hook';
import { Harness } from '../harness';

let harness: Harness;
let hook: Hook;
const warned: unknown[] = [];

beforeAll(async () => {
  hook = await Hook.start([500]);
  harness = await Harness.open({ rows: 2 });
});

afterAll(async () => {
  await harness.close();
  await hook.stop();
});

function deps(change: Partial<NoticeSettings> = {}) {
  const notices: NoticeSettings = {
    command: null,
    folder: harness.folder,
    env: { PATH: process.env.PATH ?? '' },
    url: hook.url('/hook/secret-token?key=secret-too'),
    on: ['ended', 'parked', 'refused'],
    sandbox: false,
    ...change,
  };
  const silent = () => undefined;
  const log = { debug: silent, info: silent, error: silent, warn: (...said: unknown[]) => void warned.push(said) };
  return { ...harness.deps, log, notices };
}

const REASON = '$(touch pwned); `touch pwned`; "quoted" & more';

it('what is parked is noticed once, ends a watch early, and isn’t reported again', async () => {
  await harness.ledger.setGate({ scope: 'account:main', kind: 'parked', by: 'reelay', reason: REASON });
  const [notice] = await parkedNotices(deps(), harness.run);
  expect(notice).toMatchObject({ subject: { kind: 'parked', scope: 'account:main' }, targets: ['url'] });
  expect(await parkedNotices(deps(), harness.run, [notice?.id ?? ''])).toEqual([]);
  const context = {
    cancelled: new AbortController().signal,
    shuttingDown: () => false,
    heartbeat: () => undefined,
    pause: () => Promise.resolve(),
  };
  const input = { run: harness.run, budgetMs: 60_000, atLeastMs: 60_000 };
  expect((await watchPublications(deps(), input, context)).notices).toEqual([notice]);
  expect(await parkedNotices({ ledger: harness.ledger }, harness.run)).toEqual([]);
  expect(await parkedNotices(deps({ on: ['ended'] }), harness.run)).toEqual([]);
});

it('an address gets the JSON again until it takes it; errors say no more of it than its origin', async () => {
  const [notice] = await parkedNotices(deps(), harness.run);
  if (notice === undefined) throw new Error('no notice');
  const sending = sendNotice(deps(), { notice, target: 'url' });
  await expect(sending).rejects.toThrow(new RegExp(`^${hook.url('')} answered 500$`));
  await sendNotice(deps(), { notice, target: 'url' });
  expect(hook.got.map(({ answered, id }) => [answered, id])).toEqual([
    [500, notice.id],
    [200, notice.id],
  ]);
  const said = JSON.parse(hook.got[1]?.body ?? '');
  expect(said).toMatchObject({
    version: 1,
    notice: 'parked',
    campaign: 'trial',
    run: 'trial.1',
    ok: false,
    reason: REASON,
  });
  expect(said.counts).toEqual({ planned: 2 });
  expect(JSON.stringify([hook.got[1]?.body, notice])).not.toMatch(/secret/);
  const gone = await Hook.start();
  const url = gone.url('/hook/secret-token');
  await gone.stop();
  const refused = sendNotice(deps({ url }), { notice, target: 'url' });
  await expect(refused).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\)$/);
});

it('a command gets the JSON on its standard input, and no shell reads any of it', async () => {
  const [notice] = await parkedNotices(deps(), harness.run);
  if (notice === undefined) throw new Error('no notice');
  const script = join(harness.folder, 'take notice.js');
  writeFileSync(
    script,
    `require('fs').writeFileSync('took', require('fs').readFileSync(0)); process.exit(+process.argv[2])`,
  );
  const command = (code: string) => deps({ command: [process.execPath, script, code] });
  await sendNotice(command('0'), { notice, target: 'command' });
  expect(JSON.parse(readFileSync(join(harness.folder, 'took'), 'utf8'))).toMatchObject({
    id: notice.id,
    reason: REASON,
  });
  expect(existsSync(join(harness.folder, 'pwned'))).toBe(false);
  await expect(sendNotice(command('3'), { notice, target: 'command' })).rejects.toThrow('ended with code 3');
  expect(warned).toHaveLength(1);
  const missing = deps({ command: [join(harness.folder, 'no-such-program'), '$(touch pwned)'] });
  await expect(sendNotice(missing, { notice, target: 'command' })).rejects.toThrow('ENOENT');
  // One that ends without reading anything has taken it.
  await sendNotice(deps({ command: ['true'] }), { notice, target: 'command' });
  // Taken out of the configuration meanwhile.
  await sendNotice(deps(), { notice, target: 'command' });
});

it('a command that leaves something behind has ended all the same; one that hangs ends with all it started, when the worker stops', async () => {
  const [notice] = await parkedNotices(deps(), harness.run);
  if (notice === undefined) throw new Error('no notice');
  const pidFile = join(harness.folder, 'left');
  const script = (rest: string) => deps({ command: ['sh', '-c', `sleep 600 & echo $! > left; ${rest}`] });
  const left = (): number => Number(readFileSync(pidFile, 'utf8'));
  await sendNotice(script('exit 0'), { notice, target: 'command' });
  process.kill(left(), 'SIGKILL');
  rmSync(pidFile);
  const stopping = new AbortController();
  const hanging = sendNotice({ ...script('wait'), stopping: stopping.signal }, { notice, target: 'command' });
  await until(() => existsSync(pidFile) && left() > 0);
  stopping.abort();
  await expect(hanging).rejects.toThrow('ended with SIGKILL');
  await until(() => !isAlive(left()));
});

it('an address may have a name and a password, and is reached through the proxy of this machine', async () => {
  const [notice] = await parkedNotices(deps(), harness.run);
  if (notice === undefined) throw new Error('no notice');
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    response.writeHead(200).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url ?? ''}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  process.env['HTTPS_PROXY'] = `http://127.0.0.1:${port}`;
  try {
    await sendNotice(deps({ url: `http://us:p%40ss@127.0.0.1:${port}/hook` }), { notice, target: 'url' });
    const sending = sendNotice(deps({ url: 'https://hooks.example/secret' }), { notice, target: 'url' });
    await expect(sending).rejects.toThrow(/^https:\/\/hooks\.example could not be reached/);
    expect(asked).toEqual([
      `POST /hook Basic ${Buffer.from('us:p@ss').toString('base64')}`,
      'CONNECT hooks.example:443',
    ]);
  } finally {
    delete process.env['HTTPS_PROXY'];
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A notice that hasn't been awaited yet is over too.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

it('the end of a run and a refused firing are reported with their outcomes', async () => {
  await harness.ledger.clearGate('account:main', 'parked');
  const ended = await endedNotice(deps({ command: ['true'] }), harness.run);
  expect(ended).toMatchObject({ id: 'trial.1/ended', targets: ['command', 'url'] });
  const { firings } = harness.ledger;
  const { firing } = await firings.open({
    schedule: 'weekly',
    key: '2026-11-30',
    nominalAt: 0,
    workflowId: 'w',
    again: false,
  });
  await firings.keep('weekly', 'us');
  await firings.end(firing.id, { outcome: 'refused', code: 'bad-time', reason: 'line 2: no such time' });
  const refused = await refusedNotice(deps(), firing.id);
  if (ended === null || refused === null) throw new Error('no notice');
  await sendNotice(deps(), { notice: ended, target: 'url' });
  await sendNotice(deps(), { notice: refused, target: 'url' });
  const [first, second] = hook.got.slice(-2).map(({ body }): unknown => JSON.parse(body));
  expect(first).toMatchObject({ notice: 'run-ended', run: 'trial.1', next: ['reelay results trial.1'] });
  const shown = 'the manifest was refused, nothing was sent: line 2: The time can’t be read. (bad-time)';
  expect(second).toMatchObject({
    notice: 'refused',
    schedule: 'weekly',
    text: `Schedule weekly, firing 2026-11-30: ${shown}`,
    reason: shown,
  });
  // Deleted meanwhile, it isn't paused.
  await firings.mark('weekly', { deletedAt: Date.now() });
  await sendNotice(deps(), { notice: refused, target: 'url' });
  expect(JSON.parse(hook.got.at(-1)?.body ?? '').text).toBe(`Schedule weekly, firing 2026-11-30: ${shown}`);
});

it('the notice of a refused manifest says where and what, and quotes nothing of the file', async () => {
  const { firings } = harness.ledger;
  const { firing } = await firings.open({
    schedule: 'quotes',
    key: '2026-11-28',
    nominalAt: Date.now(),
    workflowId: 'wq',
    again: false,
  });
  const reason = 'the manifest was refused, nothing was sent: line 7: “root:x:0:0:root” is no time';
  await firings.end(firing.id, { outcome: 'refused', code: 'bad-character', reason });
  const text = await noticeText(
    harness.ledger,
    { id: 'n', subject: { kind: 'refused', schedule: 'quotes', firing: firing.id }, targets: ['url'] },
    false,
  );
  expect(JSON.stringify(text)).not.toContain('root');
  expect(text.reason).toContain('line 7: ');
  expect(text.reason).toContain('(bad-character)');
});
