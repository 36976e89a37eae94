/** A row with the time at which it is to be sent. */
export interface PlannedItem {
  /** ms since the epoch */
  at: number;
  title: string;
  channel: string;
  key: string;
  line: number;
}

/** Maximum number kept, so that a campaign of a hundred thousand rows needs little memory. */
const KEPT = 2_000;

/** The first of the planned rows by time; memory stays bounded for any input. */
export class PlannedItems {
  #items: PlannedItem[] = [];
  total = 0;

  add(item: PlannedItem): void {
    this.total += 1;
    this.#items.push(item);
    if (this.#items.length >= 2 * KEPT) this.#items = this.first();
  }

  first(): PlannedItem[] {
    return [...this.#items].sort((a, b) => a.at - b.at || a.line - b.line).slice(0, KEPT);
  }
}
