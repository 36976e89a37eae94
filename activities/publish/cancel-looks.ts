import { type SendingLedger } from '../../ledger/interfaces/sending';

/** How often the ledger is asked whether uploads were cancelled, ms: once for all uploads of this process. */
const LOOK_MS = 1_000;

/** A row that is watched until it is released. */
export interface Watched {
  /** Aborts when a cancel of the row stands in the ledger. */
  signal: AbortSignal;
  release: () => void;
}

/** Tells the uploads of one process that they were cancelled. Asks nothing while none is under way. */
export class CancelWatch {
  private readonly watched = new Map<number, AbortController>();
  private timer: NodeJS.Timeout | undefined;
  private looking = false;

  constructor(private readonly ledger: Pick<SendingLedger, 'cancelsAsked'>) {}

  watch(rowId: number): Watched {
    const asked = new AbortController();
    this.watched.set(rowId, asked);
    this.timer ??= setInterval(() => void this.look(), LOOK_MS);
    return { signal: asked.signal, release: () => this.release(rowId, asked) };
  }

  private release(rowId: number, asked: AbortController): void {
    if (this.watched.get(rowId) === asked) this.watched.delete(rowId);
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async look(): Promise<void> {
    // A ledger that answers slowly isn't asked twice at once.
    if (this.looking) return;
    this.looking = true;
    try {
      for (const rowId of await this.ledger.cancelsAsked([...this.watched.keys()])) {
        this.watched.get(rowId)?.abort(new Error('the row was cancelled'));
      }
    } catch {
      // It can't be read now; the next look asks again.
    } finally {
      this.looking = false;
    }
  }
}
