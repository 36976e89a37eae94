/** Waits that end with the server: nothing keeps the process or a connection open after `stop`. */
export class Waiting {
  readonly #open = new Map<NodeJS.Timeout, () => void>();
  #stopped = false;

  /** Resolves true after `ms`, or false as soon as the server stops. */
  async wait(ms: number): Promise<boolean> {
    if (this.#stopped) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#open.delete(timer);
        resolve(true);
      }, ms);
      this.#open.set(timer, () => resolve(false));
    });
  }

  stop(): void {
    this.#stopped = true;
    for (const [timer, end] of this.#open) {
      clearTimeout(timer);
      end();
    }
    this.#open.clear();
  }
}
