import { type WorldRandom } from '../world/random';
import { activities, type RunningActivity } from '../temporal/activity-stand-in';
import { drained } from './drained';

/** The owner of a step: a worker's process, a workflow, the server, the service or a person. */
export interface Owner {
  readonly name: string;
  /** False: none of its steps is run any more. */
  alive: boolean;
  /** None of its steps is run before this time, ms. */
  frozenUntil: number;
  /**
   * Continues what one of its steps has made possible; true: something did continue, and has to run before the next
   * step.
   */
  settle?(): boolean;
}

export interface Step {
  at: number;
  order: number;
  owner: Owner;
  /** For the trace; null: not worth a line. */
  what: string | null;
  go: () => void;
  cancelled: boolean;
  /** The activity during which it was requested. */
  activity: RunningActivity | undefined;
}

/**
 * The virtual clock, and the only thing that lets anything continue: every timer, every answer of the service and every
 * end of a call to the ledger is a step, at a time that comes from the seed. Between two steps all promises are
 * drained.
 */
export class Scheduler {
  now = 0;
  current: Owner | null = null;
  taken = 0;
  readonly trace: string[] = [];
  private order = 0;
  private readonly heap: Step[] = [];

  constructor(readonly random: WorldRandom) {}

  /** A step of `owner`, in `ms` from now. */
  add(owner: Owner, ms: number, what: string | null, go: () => void): Step {
    const step: Step = {
      at: this.now + Math.max(ms, 0),
      order: (this.order += 1),
      owner,
      what,
      go,
      cancelled: false,
      activity: activities.current,
    };
    this.push(step);
    return step;
  }

  /** How long something small takes: usually no time at all, sometimes long enough for others to come first. */
  moment(): number {
    const luck = this.random.next();
    if (luck < 0.8) return this.random.next() * 3;
    if (luck < 0.97) return this.random.next() * 60;
    return this.random.next() * 600;
  }

  note(owner: Owner | null, what: string): void {
    this.trace.push(`${(this.now / 1_000).toFixed(3)} ${owner?.name ?? '-'}: ${what}`);
  }

  /** Runs steps until `isOver`, no step is left, or it is `until` (ms). `after` runs after each step. */
  async run(until: number, isOver: () => boolean, after: () => void): Promise<void> {
    while (!isOver()) {
      const step = this.pop();
      if (step === undefined) return;
      if (step.cancelled || !step.owner.alive) continue;
      if (step.owner.frozenUntil > step.at) {
        step.at = step.owner.frozenUntil;
        this.push(step);
        continue;
      }
      if (step.at > until) return;
      this.now = Math.max(this.now, step.at);
      this.taken += 1;
      if (step.what !== null) this.note(step.owner, step.what);
      this.current = step.owner;
      activities.current = step.activity;
      step.go();
      await drained();
      while (step.owner.settle?.() === true) await drained();
      this.current = null;
      activities.current = undefined;
      after();
    }
  }

  private push(step: Step): void {
    const { heap } = this;
    let at = heap.push(step) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(step, heap[parent] as Step)) break;
      heap[at] = heap[parent] as Step;
      at = parent;
    }
    heap[at] = step;
  }

  private pop(): Step | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Step, heap[child] as Step)) child += 1;
      if (!isBefore(heap[child] as Step, last)) break;
      heap[at] = heap[child] as Step;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Step, b: Step): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
