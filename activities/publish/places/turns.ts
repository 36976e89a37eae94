/** A turn that was taken. Giving it back twice is the same as once. */
export interface Turn {
  end(): void;
}

/**
 * One turn after the other, in the order in which they are asked for. Rows of a paced channel that wait for a slot take
 * turns, so that only one of them asks the ledger for it: each question is a transaction, and many at once make creates
 * late for their slots, and unequally late.
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
