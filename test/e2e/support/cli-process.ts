import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '../../../cli/run-cli';
import { CapturedStream } from '../../cli/capture';
import { jsonLines } from '../../support/json-lines';

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');

/**
 * Outcomes are read as often as in the sandbox: what tests would wait for is the pause (5 s) before the first read. On a
 * slow machine too, a lost create is found before it is given up, and what is parked stays so.
 */
const TIMINGS = {
  ...{ pollMs: 250, pollMaxMs: 1_000, reconcileForMs: 30 * 60_000 },
  ...{ parkedProbeMs: 60 * 60_000, parkedProbeMaxMs: 60 * 60_000 },
};

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A user's machine: its own home, its own environment, and the built command. */
export class UserMachine {
  /** The machine on which this process is. */
  private static entered: UserMachine | null = null;

  private constructor(
    readonly folder: string,
    private readonly env: Record<string, string>,
    private readonly node: string,
  ) {}

  /** `node`: the program that runs reelay. */
  static async create(env: Record<string, string> = {}, node = process.execPath): Promise<UserMachine> {
    if (!existsSync(MAIN)) throw new Error('dist/ is not built: npm run build');
    return new UserMachine(await mkdtemp(join(tmpdir(), 'reelay-e2e-')), env, node);
  }

  get home(): string {
    return join(this.folder, 'home');
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Starts a command in a separate process group. */
  start(args: readonly string[], env: Record<string, string> = {}): RunningCommand {
    return this.#start([this.node, MAIN, ...args], env);
  }

  /** The same on what looks like a host of that name to the command. */
  startOnHost(name: string, args: readonly string[]): RunningCommand {
    const script = 'hostname "$0" && exec "$@"';
    return this.#start(['unshare', '--uts', 'sh', '-c', script, name, this.node, MAIN, ...args], {});
  }

  #start([program = '', ...args]: readonly string[], env: Record<string, string>): RunningCommand {
    const child = spawn(program, args, {
      cwd: this.folder,
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TMPDIR: tmpdir() },
        ...this.#reelayEnvironment(),
        ...env,
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new RunningCommand(child);
  }

  run(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return this.start(args, env).ended;
  }

  /**
   * The same in the test's process, which reads the program only once, from its sources. For commands that a test needs for
   * something else.
   */
  async here(args: readonly string[]): Promise<Omit<Ended, 'signal'>> {
    const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
    this.#enter();
    const code = await runCli(args, { stdout, stderr });
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  #enter(): void {
    if (UserMachine.entered === this) return;
    if (UserMachine.entered !== null) UserMachine.entered.#leave();
    UserMachine.entered = this;
    process.chdir(this.folder);
    Object.assign(process.env, this.#reelayEnvironment());
  }

  #leave(): void {
    if (UserMachine.entered !== this) return;
    UserMachine.entered = null;
    process.chdir(tmpdir());
    for (const name of Object.keys(this.#reelayEnvironment())) Reflect.deleteProperty(process.env, name);
  }

  #reelayEnvironment(): Record<string, string> {
    return { REELAY_HOME: this.home, REELAY_TIMINGS: JSON.stringify(TIMINGS), ...this.env };
  }

  /** Creates that the sandbox of this home accepted, by its log on disk: how often each title. */
  async acceptedBySandbox(): Promise<Map<string, number>> {
    const text = await readFile(join(this.home, 'sandbox', 'service', 'creates.log'), 'utf8').catch(() => '');
    const times = new Map<string, number>();
    for (const { title } of jsonLines(text) as { title: string }[]) {
      times.set(title, (times.get(title) ?? 0) + 1);
    }
    return times;
  }

  async remove(): Promise<void> {
    this.#leave();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class RunningCommand {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Waits until its output on stderr matches; fails if it ends before. */
  async says(pattern: RegExp): Promise<void> {
    await until(() => {
      if (pattern.test(this.stderr)) return true;
      if (this.child.exitCode !== null) throw new Error(`ended before it said ${String(pattern)}:\n${this.stderr}`);
      return false;
    });
  }

  /** Kills the whole process group, as a power cut would. */
  killGroup(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
  }
}

/**
 * Waits for a condition; the test's own time limit is the bound. A slow check, such as a command, is followed by a
 * pause twice as long, up to 2 s, because what it waits for needs the processor too.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const began = Date.now();
    if (await holds()) return;
    const tookMs = Date.now() - began;
    await sleep(Math.min(Math.max(50, 2 * tookMs), 2_000));
  }
}

/** Processes of this machine whose command line names the folder. */
export async function processesNaming(folder: string): Promise<string[]> {
  const { readdir } = await import('node:fs/promises');
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/u.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(folder)) found.push(`${pid} ${command.replaceAll('\0', ' ')}`);
  }
  return found;
}
