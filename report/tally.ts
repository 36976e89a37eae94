/** Counts how often each text occurs, as long as there are few different ones; memory stays bounded for any input. */
export class Tally {
  readonly #counts = new Map<string, number>();
  #others = 0;

  constructor(private readonly kept = 100) {}

  add(text: string): void {
    const known = this.#counts.get(text);
    if (known !== undefined || this.#counts.size < this.kept) this.#counts.set(text, (known ?? 0) + 1);
    else this.#others += 1;
  }

  /** The most frequent first; `rest` is the number of occurrences beyond them. */
  top(limit: number): { entries: { text: string; count: number }[]; rest: number } {
    const sorted = [...this.#counts].map(([text, count]) => ({ text, count })).sort((a, b) => b.count - a.count);
    const rest = sorted.slice(limit).reduce((sum, one) => sum + one.count, this.#others);
    return { entries: sorted.slice(0, limit), rest };
  }
}
