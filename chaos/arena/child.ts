import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_MS } from './timings';

export interface ChildOptions {
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** File to which stderr is appended. */
  log: string;
  /** A command that becomes the process, such as one that enters another network namespace. */
  through?: readonly string[];
}

/** Everything that was started and hasn't ended; ended with this process, whatever happens. */
const running = new Set<Child>();

/** A process that we started, the leader of its own process group. */
export class Child {
  stdout = '';
  readonly ended: Promise<number | null>;
  private readonly process: ChildProcess;
  private over = false;

  constructor(options: ChildOptions) {
    const [program, ...args] = [...(options.through ?? []), process.execPath, ...options.args] as const;
    this.process = spawn(program ?? process.execPath, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    running.add(this);
    this.process.stdin?.on('error', () => undefined);
    const log = createWriteStream(options.log, { flags: 'a' });
    this.process.stderr?.pipe(log);
    this.process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code) => {
        this.over = true;
        running.delete(this);
        resolve(code);
      });
    });
  }

  get alive(): boolean {
    return !this.over;
  }

  /** To this process, or (`group`) also to everything that it started. */
  signal(signal: NodeJS.Signals, to: 'process' | 'group' = 'process'): void {
    const { pid } = this.process;
    if (pid === undefined || this.over) return;
    try {
      process.kill(to === 'group' ? -pid : pid, signal);
    } catch {
      // It ended in between.
    }
  }

  async kill(to: 'process' | 'group' = 'process'): Promise<void> {
    this.signal('SIGKILL', to);
    await this.ended;
  }

  /** The first line of stdout. @throws Error if it ends, or `COMMAND_MS` pass, before that */
  async firstLine(): Promise<string> {
    const { stdout } = this.process;
    if (stdout === null) throw new Error('no stdout');
    const lines = createInterface({ input: stdout });
    const line = new Promise<string>((resolve) => lines.once('line', resolve));
    const ended = this.ended.then((code) => Promise.reject(new Error(`it ended with ${String(code)}`)));
    ended.catch(() => undefined);
    const late = sleep(COMMAND_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('it says nothing')));
    late.catch(() => undefined);
    return Promise.race([line, ended, late]);
  }

  /** The exit code; null (and the process killed) if it takes longer than `ms`. */
  async within(ms: number): Promise<number | null> {
    const timer = new AbortController();
    const late = sleep(ms, 'late' as const, { signal: timer.signal }).catch(() => null);
    const code = await Promise.race([this.ended, late]);
    timer.abort();
    if (code !== 'late') return code;
    await this.kill('group');
    return null;
  }
}

/** Ends every remaining process by pid. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map((child) => child.kill('group')));
}
