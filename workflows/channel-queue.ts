import { type Page, type PageRow } from '../activities/contract';

/** URL rows per open create of one activity. Measured: several times faster than one row per activity. */
export const GROUP = 8;
const PAGE = 192;
/** A held channel is woken by a signal; this interval (ms) is only a fallback. */
export const HELD_CHECK_MS = 5 * 60_000;

/**
 * The rows of a channel that may be sent, in order, from pages of the ledger. It remembers which rows it has handed
 * out, so that a page read meanwhile doesn't add them again, and when the next page can contain anything new.
 */
export class ChannelQueue {
  private readonly waiting: PageRow[] = [];
  /** Ids of rows that wait here or were handed out. */
  private readonly known = new Set<number>();
  /**
   * The last page had everything that is left: until `checkAt` (ms since the epoch) there is nothing new, unless a row
   * comes back.
   */
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

  /** Whether a page is needed to keep `width` creates busy; `open`: running activities. */
  needsPage(width: number, open: number): boolean {
    if (!this.isShort(width)) return false;
    return !this.seenAll || this.now() >= this.checkAt || open + this.waiting.length === 0;
  }

  /** How many rows a page must have for some of them to be new. */
  pageLimit(width: number): number {
    return this.known.size + (this.isShort(width) ? PAGE : 1);
  }

  /** Adds the rows of a page whose time has come. */
  take(page: Page): void {
    // Every claim of a held channel would be refused, so asking for its rows one after another would never end.
    if (page.held !== null) return;
    for (const row of page.rows) {
      if (this.known.has(row.id) || (row.readyAt !== null && Date.parse(row.readyAt) > this.now())) continue;
      this.known.add(row.id);
      this.waiting.push(row);
    }
  }

  /** Records what a page shows about the rows still to come; `limit`: the requested page size. */
  noteRest(page: Page, limit: number): void {
    this.seenAll = page.rows.length < limit;
    const times =
      page.held === null ? page.rows.map(({ readyAt }) => (readyAt === null ? 0 : Date.parse(readyAt))) : [];
    this.checkAt = Math.min(...times.filter((time) => time > this.now()), this.now() + HELD_CHECK_MS);
  }

  /** The next rows of one activity, at most `most`: consecutive URL rows, or a single file. */
  nextGroup(most: number): PageRow[] {
    if (this.waiting[0]?.upload === true) return this.waiting.splice(0, 1);
    const file = this.waiting.slice(0, most).findIndex((row) => row.upload);
    return this.waiting.splice(0, file === -1 ? most : file);
  }

  /** An activity has ended: its rows may occur in a page again. */
  release(group: readonly PageRow[]): void {
    for (const row of group) this.known.delete(row.id);
  }

  /** A row may have to be sent again, or a new one may exist: the next page is worth reading. */
  expectMore(): void {
    this.seenAll = false;
  }

  /** Drops the waiting rows. `forget`: a later page may add them again. */
  drop(forget: boolean): void {
    if (forget) this.release(this.waiting);
    this.waiting.length = 0;
  }

  /** Drops the waiting rows, and accepts any row of a later page, even one that was handed out. */
  reset(): void {
    this.waiting.length = 0;
    this.known.clear();
  }
}
