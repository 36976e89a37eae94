/** A time limit of ours was reached. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

/**
 * The time limit of one exchange. It has one running limit, which a new phase replaces and progress restarts, and
 * possibly one over the whole.
 */
export class Deadline {
  onReached: (reached: LimitReached) => void = () => undefined;
  #phase: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #cleared = false;

  /** @param totalMs limit over everything, in ms; null for none */
  constructor(totalMs: number | null, what: string) {
    if (totalMs !== null) this.#total = this.#timer(totalMs, what);
  }

  /** Begins a phase; the one before no longer counts. */
  phase(limitMs: number, what: string): void {
    clearTimeout(this.#phase);
    // A body may still be ending after its exchange did; its timer would keep the process alive.
    if (!this.#cleared) this.#phase = this.#timer(limitMs, what);
  }

  /** Starts the phase's limit anew. */
  progress(): void {
    if (!this.#cleared) this.#phase?.refresh();
  }

  clear(): void {
    this.#cleared = true;
    clearTimeout(this.#phase);
    clearTimeout(this.#total);
  }

  #timer(limitMs: number, what: string): NodeJS.Timeout {
    return setTimeout(() => this.onReached(new LimitReached(`${what} within ${limitMs / 1000} s`)), limitMs);
  }
}
