import { uptime } from 'node:os';

/** Clocks of this process, in ms. */
export interface ProcessClocks {
  /** Can be set by anyone. */
  wall: () => number;
  /** Advances evenly while the machine runs. */
  monotonic: () => number;
  /** Advances evenly while the machine runs or sleeps. */
  awake: () => number;
}

export const PROCESS_CLOCKS: ProcessClocks = {
  wall: Date.now,
  monotonic: () => performance.now(),
  awake: () => uptime() * 1_000,
};

/** Beyond this difference the wall clock was set: a clock that is only adjusted drifts less between two reads. */
const JUMP_MS = 5_000;

/**
 * How long a condition has lasted, such as an attempt being over, by the monotonic clock of this process. The time
 * begins when the process first sees the condition, and again when the wall clock jumps. Time in which the machine
 * slept doesn't count. One per process, because it has to outlive the activity that asks.
 */
export class AttemptClock {
  private readonly since = new Map<string, number>();
  private ahead: number;
  /** By how much the wall clock was set since this process began, ms, and the even times at which it may have shown that. */
  private readonly settings = [{ by: 0, from: -Infinity, to: Infinity }];
  private lookedAt: number;

  constructor(private readonly clocks: ProcessClocks = PROCESS_CLOCKS) {
    this.ahead = clocks.wall() - clocks.awake();
    this.lookedAt = clocks.wall();
  }

  /** The clock that it measures by, ms: only comparable with itself, in this process. */
  now(): number {
    return this.clocks.monotonic();
  }

  /** How long an attempt has been over according to this process, ms; 0 when it is seen as over for the first time. */
  elapsed(attempt: string): number {
    this.watchWall();
    const now = this.clocks.monotonic();
    const since = this.since.get(attempt);
    if (since === undefined) this.since.set(attempt, now);
    return since === undefined ? 0 : now - since;
  }

  /** The time of day as if the wall clock had not been set since this process began, ms since the epoch. */
  evenTime(): number {
    this.watchWall();
    return this.lookedAt;
  }

  /**
   * The same for a time that the wall clock showed earlier. If the clock was set in between, it may have shown a time
   * twice: the earlier one counts, so that a delay measured from it is never too short.
   */
  earliest(shown: number): number {
    this.watchWall();
    const newest = shown - (this.settings.at(-1)?.by ?? 0);
    const possible = this.settings
      .map(({ by, from, to }) => ({ at: shown - by, from, to }))
      .filter(({ at, from, to }) => from <= at && at <= to)
      .map(({ at }) => at);
    return possible.length === 0 ? newest : Math.min(...possible);
  }

  forget(attempt: string): void {
    this.since.delete(attempt);
  }

  /** A jump restarts every settling time: times recorded before it can't be compared with those after it. */
  private watchWall(): void {
    const wall = this.clocks.wall();
    const ahead = wall - this.clocks.awake();
    const jump = ahead - this.ahead;
    const last = this.settings.at(-1);
    const before = last?.by ?? 0;
    if (Math.abs(jump) > JUMP_MS) {
      const now = this.clocks.monotonic();
      for (const attempt of this.since.keys()) this.since.set(attempt, now);
      if (last !== undefined) last.to = wall - before - jump;
      this.settings.push({ by: before + jump, from: this.lookedAt, to: Infinity });
    }
    this.ahead = ahead;
    this.lookedAt = wall - (this.settings.at(-1)?.by ?? 0);
  }
}
