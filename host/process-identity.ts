import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** Identifies a process, so that others on its host can prove that it has ended (shape of the ledger's `WorkerIdentity`). */
export interface ProcessIdentity {
  /** Unique per process start. */
  id: string;
  /** The machine and, on Linux, the pid namespace: pids are meaningful only within one. */
  hostId: string;
  /** Changes with every boot of the machine. */
  bootId: string;
  pid: number;
  /** Start time as the kernel reports it: ticks since boot on Linux, a date elsewhere. Empty if it can't be read. */
  startTime: string;
}

/** A boot id computed from the clock: it may drift, so it never proves a reboot. */
const DERIVED_BOOT = 'boottime:';

let self: ProcessIdentity | undefined;
let place: { hostId: string; bootId: string } | undefined;

/** The identity of this process; the same object for its whole life. */
export function currentProcess(): ProcessIdentity {
  self ??= { id: randomUUID(), ...here(), pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
  return self;
}

/** The identity of another process on this host, or null if there is none (a zombie counts as ended). */
export function identifyProcess(pid: number): ProcessIdentity | null {
  if (!exists(pid) || isZombie(pid)) return null;
  return { id: randomUUID(), ...here(), pid, startTime: startTimeOf(pid) ?? '' };
}

/**
 * Whether the process with an identity still exists. `dead` is a proof: the machine has rebooted since, no process has
 * the pid, another one has it now, or it is a zombie. `unknown` for a process of another host or pid namespace.
 */
export function isProcessAlive(identity: Omit<ProcessIdentity, 'id'>): 'alive' | 'dead' | 'unknown' {
  const { hostId, bootId } = here();
  if (identity.hostId !== hostId) return 'unknown';
  const exactBoots = !bootId.startsWith(DERIVED_BOOT) && !identity.bootId.startsWith(DERIVED_BOOT);
  if (exactBoots && identity.bootId !== bootId) return 'dead';
  if (!exists(identity.pid) || isZombie(identity.pid)) return 'dead';
  const startTime = startTimeOf(identity.pid);
  // A start time that can't be read (hidden /proc) proves nothing: the pid is in use, so it counts as alive.
  if (startTime !== null && identity.startTime !== '' && startTime !== identity.startTime) return 'dead';
  return 'alive';
}

/** Whether a process ran on the kernel that runs this one, in whatever container: certain only where boots have exact ids. */
export function isSameKernel(identity: Pick<ProcessIdentity, 'bootId'>): boolean {
  const { bootId } = here();
  return !bootId.startsWith(DERIVED_BOOT) && identity.bootId === bootId;
}

function here(): { hostId: string; bootId: string } {
  place ??= { hostId: readHostId(), bootId: readBootId() };
  return place;
}

function exists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') return statFields(pid)?.[19] ?? null;
  return output('ps', ['-o', 'lstart=', '-p', String(pid)]);
}

function isZombie(pid: number): boolean {
  const state = process.platform === 'linux' ? statFields(pid)?.[0] : output('ps', ['-o', 'state=', '-p', String(pid)]);
  return state !== undefined && state !== null && /^[ZXx]/.test(state);
}

/**
 * The fields of /proc/PID/stat from the third (state) on. The name before them may itself contain spaces and
 * parentheses.
 */
function statFields(pid: number): string[] | null {
  const text = read(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readHostId(): string {
  const machine = read('/etc/machine-id') ?? read('/var/lib/dbus/machine-id') ?? platformUuid() ?? 'no-machine-id';
  // Images of one template may share a machine id; the host's name distinguishes their copies.
  const parts = process.platform === 'darwin' ? [machine] : [machine, hostname()];
  if (process.platform === 'linux') {
    try {
      parts.push(readlinkSync('/proc/self/ns/pid'));
    } catch {
      parts.push('pid:unknown');
    }
  }
  return parts.join('/');
}

function platformUuid(): string | null {
  if (process.platform !== 'darwin') return null;
  const text = output('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
  return /"IOPlatformUUID" = "([^"]+)"/.exec(text ?? '')?.[1] ?? hostname();
}

function readBootId(): string {
  const exact =
    read('/proc/sys/kernel/random/boot_id') ??
    (process.platform === 'darwin' ? output('sysctl', ['-n', 'kern.bootsessionuuid']) : null);
  return exact ?? `${DERIVED_BOOT}${Math.round(Date.now() / 1000 - uptime())}`;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function output(command: string, args: readonly string[]): string | null {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const ended = spawnSync(command, args, { encoding: 'utf8', timeout: 5_000, env, windowsHide: true });
  return ended.status === 0 ? ended.stdout.trim() || null : null;
}
