/**
 * Slots for open creates in this process. Waiting creates get the next slot by turns of the lanes (channels), so that a
 * channel with many rows takes turns like every other; within a lane, in the order of the requests. The ledger's claim
 * enforces the real limit across all workers; this only keeps a process from asking it in vain.
 */
export class Slots {
  private free: number;
  /** Waiting lanes, the one whose turn is next first. */
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
    // To the end of the queue.
    this.lanes.delete(lane);
    if (waiting.length > 0) this.lanes.set(lane, waiting);
    return next;
  }
}
