import { uptime } from 'node:os';

/** Clocks of this process, in ms. */
export interface ProcessClocks {
  /** Can be set by anybody. */
  wall: () => number;
  /** Runs evenly while the machine runs. */
  monotonic: () => number;
  /** Runs evenly while the machine runs or sleeps. */
  awake: () => number;
}

export const PROCESS_CLOCKS: ProcessClocks = {
  wall: Date.now,
  monotonic: () => performance.now(),
  awake: () => uptime() * 1_000,
};

/** Beyond this, the wall clock was set: more than a clock that is only corrected drifts between two looks at it. */
const JUMP_MS = 5_000;

/**
 * How long things have been as they are, such as an attempt that is over, by the monotonic clock of this process: it begins when the process first sees them so,
 * and again when the wall clock jumps. Time in which the machine slept doesn't count. One for the whole process, as it has
 * to outlive the activity that asks.
 */
export class AttemptClock {
  private readonly since = new Map<string, number>();
  private ahead: number;

  constructor(private readonly clocks: ProcessClocks = PROCESS_CLOCKS) {
    this.ahead = clocks.wall() - clocks.awake();
  }

  /** The clock it measures by, ms: to be compared only with itself, in this process. */
  now(): number {
    return this.clocks.monotonic();
  }

  /** How long an attempt has been over as far as this process can tell, ms; 0 when it is seen so for the first time. */
  elapsed(attempt: string): number {
    this.watchWall();
    const now = this.clocks.monotonic();
    const since = this.since.get(attempt);
    if (since === undefined) this.since.set(attempt, now);
    return since === undefined ? 0 : now - since;
  }

  forget(attempt: string): void {
    this.since.delete(attempt);
  }

  /** A jump makes every settling time begin again: times that were noted before it say nothing about those after it. */
  private watchWall(): void {
    const ahead = this.clocks.wall() - this.clocks.awake();
    if (Math.abs(ahead - this.ahead) > JUMP_MS) {
      const now = this.clocks.monotonic();
      for (const attempt of this.since.keys()) this.since.set(attempt, now);
    }
    this.ahead = ahead;
  }
}
