import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Order, type Played } from './child';
import { type Outcome } from './simulation';
import { type World } from './world/world';

/** A world that takes longer than this (ms of real time) is in an endless loop. */
const STUCK_MS = 300_000;

/** The garbage of a world is collected in fewer, larger steps. */
const FEW_COLLECTIONS = ['--max-semi-space-size=128'];

interface Waiting {
  order: { seed: number } | { world: World };
  trace: boolean;
  done: (outcome: Outcome) => void;
}

/** Processes that run worlds, one at a time each. */
export class Pool {
  private readonly children: { process: ChildProcess; isBusy: boolean }[] = [];
  private readonly waiting: Waiting[] = [];
  private isClosed = false;

  constructor(private readonly size: number) {}

  async open(): Promise<void> {
    await Promise.all(Array.from({ length: this.size }, () => this.add()));
  }

  close(): void {
    this.isClosed = true;
    for (const { process } of this.children) process.kill();
  }

  /** Runs a seed's world, or a given one. */
  play(order: Waiting['order'], trace = false): Promise<Outcome> {
    return new Promise((done) => {
      this.waiting.push({ order, trace, done });
      this.next();
    });
  }

  private async add(): Promise<void> {
    const child = fork(join(__dirname, 'child.ts'), { execArgv: ['--import', 'tsx', ...FEW_COLLECTIONS] });
    await once(child, 'message');
    this.children.push({ process: child, isBusy: false });
    this.next();
  }

  private next(): void {
    const free = this.children.find(({ isBusy }) => !isBusy);
    const order = free === undefined ? undefined : this.waiting.shift();
    if (free === undefined || order === undefined) return;
    free.isBusy = true;
    const { process: child } = free;
    let errors = '';
    const end = (outcome: Outcome): void => {
      clearTimeout(limit);
      child.off('message', take).off('exit', lost);
      order.done(outcome);
    };
    const take = (played: unknown): void => {
      free.isBusy = false;
      end((played as Played).outcome);
      this.next();
    };
    const lost = (): void => {
      this.children.splice(this.children.indexOf(free), 1);
      if (this.isClosed) return;
      end(unplayed(errors));
      void this.add();
    };
    const limit = setTimeout(() => {
      errors = `no step ended within ${STUCK_MS / 1_000} s`;
      child.kill('SIGKILL');
    }, STUCK_MS);
    child.on('message', take).on('exit', lost);
    child.send({ id: 0, ...order.order, trace: order.trace } satisfies Order & { trace: boolean });
  }
}

function unplayed(why: string): Outcome {
  const what = why === '' ? 'the process that played it ended' : why;
  return { broken: { promise: 'every step ends', what }, steps: 0, computedMs: 0, hash: '', trace: [what] };
}
