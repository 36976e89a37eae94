/** A turn that was taken. Returning it twice is harmless. */
export interface Turn {
  end(): void;
}

/**
 * One turn after another, in the order of the requests. Rows of a paced channel that wait for a slot take turns, so
 * that only one of them queries the ledger for it: each query is a transaction, and many at once make creates late for
 * their slots, by different amounts.
 */
export class Turns {
  private last: Promise<void> = Promise.resolve();

  async take(): Promise<Turn> {
    const before = this.last;
    let end: () => void = () => undefined;
    this.last = new Promise((resolve) => (end = resolve));
    await before;
    return { end };
  }
}
