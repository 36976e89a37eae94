/** One of our own time limits was reached. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

/** A timer that fires this much too late (ms) shows that the process was stopped, or its machine slept. */
const OVERSLEPT_MS = 1_000;
/** Then data that arrived meanwhile gets this long (ms) to be read, because timers run before sockets. */
const CATCH_UP_MS = 2_000;

/**
 * The time limit of one exchange. It has one running limit, which a new phase replaces and progress restarts, and
 * possibly one over the whole.
 */
export class Deadline {
  onReached: (reached: LimitReached) => void = () => undefined;
  #phase: Limit | undefined;
  #total: Limit | undefined;
  #cleared = false;

  /** @param totalMs limit over everything, in ms; null for none */
  constructor(totalMs: number | null, what: string) {
    if (totalMs !== null) this.#total = this.#limit(totalMs, what);
  }

  /** Begins a phase; the one before no longer counts. */
  phase(limitMs: number, what: string): void {
    this.#phase?.clear();
    // A body may still be finishing after its exchange did; its timer would keep the process alive.
    if (!this.#cleared) this.#phase = this.#limit(limitMs, what);
  }

  /** Restarts the phase's limit. */
  progress(): void {
    if (!this.#cleared) this.#phase?.restart();
  }

  clear(): void {
    this.#cleared = true;
    this.#phase?.clear();
    this.#total?.clear();
  }

  #limit(limitMs: number, what: string): Limit {
    return new Limit(limitMs, () => this.onReached(new LimitReached(`${what} within ${limitMs / 1000} s`)));
  }
}

/** A single limit; a process that was stopped in between still reads the answer that arrived meanwhile. */
class Limit {
  #timer: NodeJS.Timeout;
  #due = 0;

  constructor(
    private readonly limitMs: number,
    private readonly reached: () => void,
  ) {
    this.#timer = this.#start(limitMs);
  }

  restart(): void {
    this.clear();
    this.#timer = this.#start(this.limitMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #start(ms: number): NodeJS.Timeout {
    this.#due = performance.now() + ms;
    return setTimeout(() => {
      if (performance.now() - this.#due < OVERSLEPT_MS) this.reached();
      else this.#timer = this.#start(CATCH_UP_MS);
    }, ms);
  }
}
