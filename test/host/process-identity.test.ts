import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Writable } from 'node:stream';
import { currentProcess, identifyProcess, isProcessAlive } from '../../host/process-identity';
import { until } from '../embedded/support/stack-child';

describe('process identity', () => {
  test('this process is alive, and is described the same way each time', () => {
    expect(isProcessAlive(currentProcess())).toBe('alive');
    expect(currentProcess()).toBe(currentProcess());
    expect(currentProcess().pid).toBe(process.pid);
    expect(currentProcess().startTime).toMatch(/^\d+$/);
  });

  test('a process that has ended is dead', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const identity = identifyProcess(child.pid!)!;
    expect(isProcessAlive(identity)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isProcessAlive(identity)).toBe('dead');
    expect(identifyProcess(child.pid!)).toBeNull();
  });

  test('a stopped process is alive', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      const identity = identifyProcess(child.pid!)!;
      child.kill('SIGSTOP');
      await until(() => / T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8')));
      expect(isProcessAlive(identity)).toBe('alive');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  test('a zombie is dead', async () => {
    // The shell's child ends, and the process that took the shell's place never waits for it.
    const parent = spawn('sh', ['-c', 'read go <&3 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    });
    try {
      const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
      const pid = Number(line.toString());
      const identity = identifyProcess(pid)!;
      await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
      (parent.stdio[3] as Writable).end('go\n');
      await until(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
      expect(isProcessAlive(identity)).toBe('dead');
    } finally {
      parent.kill('SIGKILL');
      await once(parent, 'exit');
    }
  });

  test('another process with the same pid is not mistaken for it', () => {
    expect(isProcessAlive({ ...currentProcess(), startTime: '1' })).toBe('dead');
  });

  test('a process from before the last boot is dead', () => {
    expect(isProcessAlive({ ...currentProcess(), bootId: '00000000-0000-0000-0000-000000000000' })).toBe('dead');
  });

  test('a process of another host or container is never judged', () => {
    const { hostId } = currentProcess();
    const elsewhere = { ...currentProcess(), hostId: hostId.replace(/pid:\[\d+\]/, 'pid:[1]'), startTime: '1' };
    expect(elsewhere.hostId).not.toBe(hostId);
    expect(isProcessAlive(elsewhere)).toBe('unknown');
  });

  test("somebody else's process counts as alive as long as its pid and start time fit", () => {
    expect(isProcessAlive(identifyProcess(1)!)).toBe('alive');
  });

  test('nonsense for a pid is dead, never a signal to a group', () => {
    expect(isProcessAlive({ ...currentProcess(), pid: 0 })).toBe('dead');
    expect(isProcessAlive({ ...currentProcess(), pid: -1 })).toBe('dead');
  });
});
