import { type Page, type PageRow } from '../activities/contract';

/** URL rows of one activity, for each create that it keeps open. Measured: several times the speed of one by one. */
export const GROUP = 8;
const PAGE = 192;
/** A channel that something holds is woken by a signal; this is only the safety net (ms). */
export const HELD_CHECK_MS = 5 * 60_000;

/**
 * The rows of a channel that may be sent, in order, as pages of the ledger bring them. It remembers which rows it has given
 * out, so that a page read meanwhile doesn't bring them again, and when the next page can have anything new.
 */
export class ChannelQueue {
  private readonly waiting: PageRow[] = [];
  /** Ids of rows that wait here or were given out. */
  private readonly known = new Set<number>();
  /** The last page had all that is left: until `checkAt` (ms since the epoch) there is nothing new, unless a row comes back. */
  private seenAll = false;
  private checkAt = 0;

  constructor(private readonly now: () => number) {}

  get length(): number {
    return this.waiting.length;
  }

  /** How long (ms) until a row that waits for its time may be due. */
  get untilCheck(): number {
    return this.checkAt - this.now();
  }

  private isShort(width: number): boolean {
    return this.waiting.length < GROUP * width;
  }

  /** Whether a page is needed to keep `width` creates busy; `open`: activities under way. */
  needsPage(width: number, open: number): boolean {
    if (!this.isShort(width)) return false;
    return !this.seenAll || this.now() >= this.checkAt || open + this.waiting.length === 0;
  }

  /** How many rows a page has to have for some to be new. */
  pageLimit(width: number): number {
    return this.known.size + (this.isShort(width) ? PAGE : 1);
  }

  /** Takes in the rows of a page whose time has come. */
  take(page: Page): void {
    // Every claim of a held channel would be refused: asking for them one after the other would never come to an end.
    if (page.held !== null) return;
    for (const row of page.rows) {
      if (this.known.has(row.id) || (row.readyAt !== null && Date.parse(row.readyAt) > this.now())) continue;
      this.known.add(row.id);
      this.waiting.push(row);
    }
  }

  /** Notes what the page that was taken shows of the rows still to come; `limit`: what it was asked for. */
  noteRest(page: Page, limit: number): void {
    this.seenAll = page.rows.length < limit;
    const times =
      page.held === null ? page.rows.map(({ readyAt }) => (readyAt === null ? 0 : Date.parse(readyAt))) : [];
    this.checkAt = Math.min(...times.filter((time) => time > this.now()), this.now() + HELD_CHECK_MS);
  }

  /** The next rows of one activity, at most `most`: URL rows that follow each other, or one file, which goes alone. */
  nextGroup(most: number): PageRow[] {
    if (this.waiting[0]?.upload === true) return this.waiting.splice(0, 1);
    const file = this.waiting.slice(0, most).findIndex((row) => row.upload);
    return this.waiting.splice(0, file === -1 ? most : file);
  }

  /** An activity has ended: its rows may come again in a page. */
  release(group: readonly PageRow[]): void {
    for (const row of group) this.known.delete(row.id);
  }

  /** A row may be to be sent again, or one may be new: the next page is worth reading. */
  expectMore(): void {
    this.seenAll = false;
  }

  /** Drops the rows that wait. `forget`: a later page may bring them again. */
  drop(forget: boolean): void {
    if (forget) this.release(this.waiting);
    this.waiting.length = 0;
  }

  /** Drops the rows that wait, and takes any row that a page brings, also one that was given out. */
  reset(): void {
    this.waiting.length = 0;
    this.known.clear();
  }
}
