import { EventEmitter } from 'node:events';
import { type Delivery, type World } from '../world/world';

/** The receivers of notices, a command and an address: both may fail, hang, or accept a notice without answering. */
export class Outside {
  /** `command run.1/ended`: which target received which notice. */
  readonly heard = new Set<string>();
  private readonly next: Record<'command' | 'url', Delivery[]>;

  constructor(
    notices: World['notices'],
    private readonly isCalm: () => boolean,
  ) {
    this.next = { command: [...(notices?.command ?? [])], url: [...(notices?.url ?? [])] };
    this.isDeaf = notices?.neverHeard === true;
  }

  private readonly isDeaf: boolean;

  deliver(target: 'command' | 'url', json: string): Delivery {
    const next = this.next[target].shift() ?? 'well';
    const delivery = this.isDeaf ? (next === 'well' ? 'fails' : next) : this.isCalm() ? 'well' : next;
    const { id } = JSON.parse(json) as { id: string };
    if (delivery === 'well' || delivery === 'is lost') this.heard.add(`${target} ${id}`);
    return delivery;
  }
}

const state: { current: Outside } = { current: new Outside(undefined, () => false) };

export function useOutside(outside: Outside): void {
  state.current = outside;
}

/** How long a delivery takes, ms. */
const TAKES_MS = 50;

interface Posted {
  body: string;
  signal: AbortSignal;
}

/** Replaces `undici`, for notices. */
export const undiciStandIn = {
  request: (
    _url: string,
    { body, signal }: Posted,
  ): Promise<{ statusCode: number; body: { dump: () => Promise<void> } }> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      setTimeout(() => {
        const delivery = state.current.deliver('url', body);
        if (delivery === 'hangs') return;
        if (delivery === 'is lost') reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
        else resolve({ statusCode: delivery === 'well' ? 200 : 500, body: { dump: () => Promise.resolve() } });
      }, TAKES_MS);
    }),
};

/** Above every number of a real process. */
const FIRST_PID = 2 ** 30;
let nextPid = FIRST_PID;
const commands = new Map<number, Command>();

class Command extends EventEmitter {
  readonly pid = nextPid++;
  readonly stderr = Object.assign(new EventEmitter(), { destroy: () => undefined });
  readonly stdin = Object.assign(new EventEmitter(), { end: (json: string) => this.take(json) });

  ends(code: number | null, signal: string | null): void {
    if (!commands.delete(this.pid)) return;
    this.emit('exit', code, signal);
    this.emit('close');
  }

  private take(json: string): void {
    commands.set(this.pid, this);
    setTimeout(() => {
      const delivery = state.current.deliver('command', json);
      if (delivery !== 'hangs') this.ends(delivery === 'well' ? 0 : 1, null);
    }, TAKES_MS);
  }
}

/** Replaces `node:child_process`, for notices. */
export const childProcessStandIn = { spawn: () => new Command() };

/** Ends a simulated command. Returns false if there is no such command. */
export function killCommand(pid: number): boolean {
  const command = commands.get(Math.abs(pid));
  command?.ends(null, 'SIGKILL');
  return Math.abs(pid) >= FIRST_PID;
}
