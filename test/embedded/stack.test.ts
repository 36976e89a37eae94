import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { type StackRecord } from '../../embedded/stack/home';
import { openStack, type StackOptions } from '../../embedded/stack/stack';
import { compileForChildren } from './support/compile';
import { serversNaming, StackChild, until } from './support/stack-child';

const fakeSandbox = { command: process.execPath, args: [join(__dirname, 'support', 'fake-sandbox.js')] };

let compiled: string;
let home: string;
const children: StackChild[] = [];

beforeAll(async () => {
  compiled = compileForChildren();
  await findTemporal();
}, 300_000);
afterAll(() => rmSync(compiled, { recursive: true, force: true }));
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'reelay-stack-'))));
afterEach(async () => {
  for (const child of children.splice(0)) kill(child.pid, 'SIGKILL');
  await until(
    () => serversNaming(home).length === 0,
    undefined,
    () => 'servers to end',
  );
  rmSync(home, { recursive: true, force: true });
});

function open(options: Partial<StackOptions> = {}, how: { detached?: boolean } = {}): StackChild {
  const child = new StackChild(compiled, { home, namespace: 'reelay-test', ...options }, how);
  children.push(child);
  return child;
}

function record(): StackRecord {
  return JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')) as StackRecord;
}

function pidOf(role: 'temporal' | 'keeper' | 'sandbox'): number {
  return record().processes.find((it) => it.role === role)!.identity.pid;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** `T` is stopped, `Z` ended; undefined once nothing is left of it. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
  } catch {
    return undefined;
  }
}

const gone = (pid: number): boolean => [undefined, 'Z'].includes(stateOf(pid));
const stopped = (pid: number): boolean => stateOf(pid) === 'T';

describe('a stack', () => {
  test('is started by the first, attached to by the second at once, and stopped after the last', async () => {
    const owner = open({ sandbox: fakeSandbox });
    const opened = await owner.event('open');
    expect(opened.role).toBe('owner');
    expect(statSync(join(home, 'stack.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, 'stack.json'), 'utf8')).not.toContain('sandbox-key');

    const notices: string[] = [];
    const stack = await openStack({
      home,
      namespace: 'reelay-test',
      sandbox: fakeSandbox,
      onNotice: (text) => notices.push(text),
    });
    expect([stack.role, notices]).toEqual(['attached', []]);
    expect(stack.temporal).toEqual(opened.temporal);
    expect(stack.sandbox).toEqual({ baseUrl: opened.sandbox!.baseUrl, apiKey: 'sandbox-key' });

    const [server, sandbox] = [pidOf('temporal'), pidOf('sandbox')];
    owner.send('release');
    await until(() => owner.events.some((it) => it.text?.includes('one other process uses it')));
    expect(gone(server)).toBe(false);
    await stack.release();
    await owner.event('released');
    expect([gone(server), gone(sandbox)]).toEqual([true, true]);
    await owner.ended();
    expect([existsSync(join(home, 'stack.json')), existsSync(join(home, 'control.sock'))]).toEqual([false, false]);
  });

  test('a second release stops it although others are attached, and they learn that it is gone', async () => {
    const owner = open();
    await owner.event('open');
    const other = open();
    expect((await other.event('open')).role).toBe('attached');
    owner.send('release');
    await until(() => owner.events.some((it) => it.text?.includes('interrupt again')));
    owner.send('release');
    await owner.event('released');
    await other.event('owner-gone');
    // The others may hear of it before the server's process is gone.
    await until(() => serversNaming(home).length === 0);
  });

  test('is opened by several processes at the same moment: one owns it, all reach the same Temporal', async () => {
    const all = [open(), open(), open(), open()];
    const opened = await Promise.all(all.map((child) => child.event('open')));
    expect(opened.map((it) => it.role).sort()).toEqual(['attached', 'attached', 'attached', 'owner']);
    expect(new Set(opened.map((it) => it.temporal!.address)).size).toBe(1);
    // The server, and the supervisor that was given its command.
    expect(serversNaming(home)).toHaveLength(2);
  });

  test.each([
    ['the process alone', false],
    ['its whole process group', true],
  ])('leaves nothing running when its owner is killed: %s', async (_, group) => {
    const owner = open({ sandbox: fakeSandbox }, { detached: group });
    await owner.event('open');
    const pids = [pidOf('temporal'), pidOf('keeper'), pidOf('sandbox')];
    expect(pids.map(gone)).toEqual([false, false, false]);
    process.kill(group ? -owner.pid : owner.pid, 'SIGKILL');
    await until(
      () => pids.every(gone),
      undefined,
      () => `end of ${pids.join()}`,
    );
  });

  test('is taken over after its owner was killed, and those attached learn of it', async () => {
    const owner = open();
    await owner.event('open');
    const other = open();
    await other.event('open');
    process.kill(owner.pid, 'SIGKILL');
    await other.event('owner-gone');
    const next = open();
    expect((await next.event('open')).role).toBe('owner');
  });

  test('a server that outlived owner and keeper is ended by the next start', async () => {
    const owner = open();
    await owner.event('open');
    const server = pidOf('temporal');
    // The owner doesn't see the other end.
    process.kill(owner.pid, 'SIGSTOP');
    await until(() => stopped(owner.pid));
    process.kill(pidOf('keeper'), 'SIGKILL');
    process.kill(owner.pid, 'SIGKILL');
    await owner.ended();
    expect(gone(server)).toBe(false);

    const next = open();
    expect((await next.event('open')).role).toBe('owner');
    expect(gone(server)).toBe(true);
    expect(next.events.some((it) => it.text?.includes(`Ending process ${server}`))).toBe(true);
  });

  test('such a server is found even without a record of it', async () => {
    const owner = open();
    await owner.event('open');
    const server = pidOf('temporal');
    // The owner doesn't see the other end.
    process.kill(owner.pid, 'SIGSTOP');
    await until(() => stopped(owner.pid));
    process.kill(pidOf('keeper'), 'SIGKILL');
    process.kill(owner.pid, 'SIGKILL');
    await owner.ended();
    rmSync(join(home, 'stack.json'));

    expect((await open().event('open')).role).toBe('owner');
    expect(gone(server)).toBe(true);
  });

  test('is not taken from an owner that is only stopped, and the owner is named', async () => {
    const owner = open();
    await owner.event('open');
    process.kill(owner.pid, 'SIGSTOP');
    const refused = await open({ silentMs: 2_000 }).event('open');
    expect(refused.name).toBe('HomeBusyError');
    expect(refused.message).toContain(`Process ${owner.pid} holds ${home}`);
    expect(refused.hint).toContain(`kill -CONT ${owner.pid}`);
    process.kill(owner.pid, 'SIGCONT');
    expect((await open().event('open')).role).toBe('attached');
  });

  test('a signal to the terminal’s process group does not reach Temporal', async () => {
    const owner = open({}, { detached: true });
    await owner.event('open');
    process.kill(-owner.pid, 'SIGINT');
    owner.send('count');
    expect((await owner.event('count')).count).toBe(0);
    expect(gone(pidOf('temporal'))).toBe(false);
    owner.send('release');
    await owner.event('released');
  });

  test('a server or sandbox that ends unexpectedly is reported', async () => {
    const owner = open({ sandbox: fakeSandbox });
    await owner.event('open');
    process.kill(pidOf('sandbox'), 'SIGKILL');
    expect((await owner.event('broken')).text).toBe('The sandbox ended by SIGKILL; it is not started again.');
    process.kill(pidOf('temporal'), 'SIGKILL');
    await until(() => owner.events.some((it) => it.text?.startsWith('The embedded Temporal server ended by SIGKILL')));
  });

  test('a sandbox that does not start is an error with the end of its log, and nothing stays', async () => {
    const failing = {
      command: process.execPath,
      args: ['-e', 'console.error("no such option: --frob"); process.exit(3)'],
    };
    const failed = await open({ sandbox: failing }).event('open');
    expect(failed.name).toBe('StackStartError');
    expect(failed.message).toContain('The sandbox did not start: it ended with code 3');
    expect(failed.message).toContain('no such option: --frob');
    expect(serversNaming(home)).toEqual([]);
    expect((await open().event('open')).role).toBe('owner');
  });

  test('another namespace in the same home is refused with the owner named', async () => {
    const owner = open();
    await owner.event('open');
    const refused = await open({ namespace: 'other' }).event('open');
    expect(refused.message).toContain(`Process ${owner.pid} runs a stack in ${home}, and its namespace is reelay-test`);
  });

  test('works in a home whose path is too long for a socket', async () => {
    const deep = join(home, 'd'.repeat(60), 'e'.repeat(60));
    const owner = open({ home: deep });
    await owner.event('open');
    const other = open({ home: deep });
    expect((await other.event('open')).role).toBe('attached');
    process.kill(owner.pid, 'SIGKILL');
    await other.event('owner-gone');
    const next = open({ home: deep });
    await next.event('open');
    const { controlSocket } = JSON.parse(readFileSync(join(deep, 'stack.json'), 'utf8')) as StackRecord;
    expect(controlSocket!.startsWith(deep)).toBe(false);
    next.send('release');
    await next.event('released');
    expect(existsSync(dirname(controlSocket!))).toBe(false);
  });

  test('needs nothing when Temporal runs elsewhere', async () => {
    const stack = await openStack({
      home,
      namespace: 'n',
      temporalAddress: 'temporal:7233',
      onNotice: () => undefined,
    });
    expect(stack.temporal).toEqual({ address: 'temporal:7233', namespace: 'n', webUi: null });
    expect(existsSync(join(home, 'owner.lock'))).toBe(false);
    await stack.release();
  });
});
