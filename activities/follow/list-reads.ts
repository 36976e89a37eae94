/** A read of an account's list from its newest entry down: own publications noted within this time had to be in it. */
export interface ListRead {
  /** When the oldest own publication it reached was noted, and when it began; ms since the epoch. */
  from: number;
  to: number;
}

/** The reads of accounts' lists, so that a publication's lag in a list can be told from our own pauses. */
export class ListReads {
  private readonly last = new Map<string, ListRead>();

  /** Begins a read; returns the one before, for comparison. */
  begin(account: string, now: number): { previous: ListRead | undefined; reached(notedAt: number): void } {
    const previous = this.last.get(account);
    const current: ListRead = { from: now, to: now };
    this.last.set(account, current);
    return {
      previous,
      reached: (notedAt) => {
        current.from = Math.min(current.from, notedAt);
      },
    };
  }
}
