import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { currentProcess, isProcessAlive, type ProcessIdentity } from '../../host/process-identity';
import { holdWorkerLock, isWorkerAlive } from '../../host/worker-lock';

const ONE_HOST = { severalHosts: false };
let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'reelay-worker-lock-'))));
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A worker's process that holds its lock, as one in another container would show itself: its pid means nothing here. */
async function startElsewhere(): Promise<ProcessIdentity> {
  const code = `
    const { holdWorkerLock } = require(${JSON.stringify(join(__dirname, '../../host/worker-lock'))});
    const { currentProcess } = require(${JSON.stringify(join(__dirname, '../../host/process-identity'))});
    holdWorkerLock(${JSON.stringify(folder)});
    console.log(JSON.stringify(currentProcess()));
    setInterval(() => undefined, 1000);`;
  const register = join(__dirname, '..', 'support', 'register.js');
  child = spawn(process.execPath, ['-r', register, '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return { ...(JSON.parse(line) as ProcessIdentity), hostId: 'another-container', pid: 1 };
}

test('a worker of another container is alive while it holds its lock, frozen or not, and dead once it is gone', async () => {
  const worker = await startElsewhere();
  expect(isProcessAlive(worker)).toBe('unknown');
  expect(isWorkerAlive(folder, worker, ONE_HOST)).toBe('alive');
  child!.kill('SIGSTOP');
  expect(isWorkerAlive(folder, worker, ONE_HOST)).toBe('alive');
  child!.kill('SIGKILL');
  await once(child!, 'close');
  expect(isWorkerAlive(folder, worker, ONE_HOST)).toBe('dead');
});

test('where workers may be on several hosts, another boot proves nothing: their ids may be the same', () => {
  const worker = { ...currentProcess(), id: 'before-the-reboot', bootId: 'another-boot' };
  expect(isWorkerAlive(folder, worker, ONE_HOST)).toBe('dead');
  expect(isWorkerAlive(folder, worker, { severalHosts: true })).toBe('unknown');
});

test('a free lock proves nothing of a worker on another kernel, nor a missing one of any', async () => {
  const worker = await startElsewhere();
  child!.kill('SIGKILL');
  await once(child!, 'close');
  expect(isWorkerAlive(folder, { ...worker, bootId: 'another-kernel' }, ONE_HOST)).toBe('unknown');
  expect(isWorkerAlive(folder, { ...worker, id: 'an-earlier-version' }, ONE_HOST)).toBe('unknown');
});

test('its own lock can be asked for without dropping it', () => {
  holdWorkerLock(folder);
  holdWorkerLock(folder);
});
