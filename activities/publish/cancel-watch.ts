import { type SendingLedger } from '../../ledger/interfaces/sending';

/** How often the ledger is checked for cancelled uploads, ms: once for all uploads of this process. */
const CHECK_MS = 1_000;

/** A row that is watched until it is released. */
export interface Watched {
  /** Aborts when a cancel of the row is in the ledger. */
  signal: AbortSignal;
  release: () => void;
}

/** Interrupts the uploads of one process that were cancelled. Makes no query while there are none. */
export class CancelWatch {
  private readonly watched = new Map<number, AbortController>();
  private timer: NodeJS.Timeout | undefined;
  private checking = false;

  constructor(private readonly ledger: Pick<SendingLedger, 'cancelsAsked'>) {}

  watch(rowId: number): Watched {
    const asked = new AbortController();
    this.watched.set(rowId, asked);
    this.timer ??= setInterval(() => void this.check(), CHECK_MS);
    return { signal: asked.signal, release: () => this.release(rowId, asked) };
  }

  private release(rowId: number, asked: AbortController): void {
    if (this.watched.get(rowId) === asked) this.watched.delete(rowId);
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async check(): Promise<void> {
    // If the ledger answers slowly, there is never more than one query at a time.
    if (this.checking) return;
    this.checking = true;
    try {
      for (const rowId of await this.ledger.cancelsAsked([...this.watched.keys()])) {
        this.watched.get(rowId)?.abort(new Error('the row was cancelled'));
      }
    } catch {
      // The ledger can't be read now; the next check tries again.
    } finally {
      this.checking = false;
    }
  }
}
