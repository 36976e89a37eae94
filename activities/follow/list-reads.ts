/** When the account's list was read last, so that a publication's lag in it can be told from our own pauses. */
export class ListReads {
  private readonly begun = new Map<string, number>();

  /** Notes that a read begins now; returns when the one before began (ms since the epoch, 0: none). */
  begin(account: string, now: number): number {
    const previous = this.begun.get(account) ?? 0;
    this.begun.set(account, now);
    return previous;
  }
}
