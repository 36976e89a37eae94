/**
 * Places for open creates in this process. Who waits gets the next one by turns of the lanes (channels), so that a channel
 * with much to send takes one turn like every other; within a lane in the order they asked. The ledger's claim holds the
 * real limit over all workers; this only keeps a process from asking it in vain.
 */
export class Slots {
  private free: number;
  /** Lanes that wait, the one whose turn is next first. */
  private readonly lanes = new Map<string, (() => void)[]>();

  constructor(size: number) {
    this.free = size;
  }

  async use<T>(work: () => Promise<T>, lane = ''): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.wait(lane, resolve));
    try {
      return await work();
    } finally {
      const next = this.next();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private wait(lane: string, resolve: () => void): void {
    const waiting = this.lanes.get(lane);
    if (waiting === undefined) this.lanes.set(lane, [resolve]);
    else waiting.push(resolve);
  }

  private next(): (() => void) | undefined {
    const [turn] = this.lanes;
    if (turn === undefined) return undefined;
    const [lane, waiting] = turn;
    const next = waiting.shift();
    // To the end of the round.
    this.lanes.delete(lane);
    if (waiting.length > 0) this.lanes.set(lane, waiting);
    return next;
  }
}
