import { type InFlightRow } from '../../ledger/model/result-types';
import { type ActivityDeps } from '../deps';

interface Watched {
  nextAt: number;
  /** Consecutive unreadable answers. */
  failures: number;
  /** When it was last read by its id. */
  readAt?: number;
}

/** When each followed publication is read next, and until when an account is left alone. Times are ms since the epoch. */
export class ReadTimes {
  private readonly watched = new Map<string, Watched>();
  /** Per account: no read before this time, after 429, 503 or refused access. */
  private readonly quietUntil = new Map<string, number>();

  constructor(private readonly deps: Pick<ActivityDeps, 'now' | 'timings'>) {}

  isLate(row: InFlightRow): boolean {
    return Date.parse(row.deadline) <= this.deps.now();
  }

  isQuiet(account: string): boolean {
    return (this.quietUntil.get(account) ?? 0) > this.deps.now();
  }

  quiet(account: string, ms: number): void {
    this.quietUntil.set(account, this.deps.now() + ms);
  }

  isDue(row: InFlightRow): boolean {
    const known = this.watched.get(row.publicationId);
    if (known !== undefined) return known.nextAt <= this.deps.now();
    // The first read of a new publication waits one interval: it was processing a moment ago.
    const nextAt = Date.parse(row.since) + this.deps.timings.pollMs;
    this.watched.set(row.publicationId, { nextAt, failures: 0 });
    return nextAt <= this.deps.now();
  }

  /** At once when the deadline comes, then at the intervals for failed reads. */
  mayReadLate(row: InFlightRow): boolean {
    const known = this.watched.get(row.publicationId);
    return known === undefined || known.failures === 0 || known.nextAt <= this.deps.now();
  }

  next(row: InFlightRow): number {
    return Math.max(this.watched.get(row.publicationId)?.nextAt ?? 0, this.quietUntil.get(row.account) ?? 0);
  }

  lastRead(row: InFlightRow): number {
    return this.watched.get(row.publicationId)?.readAt ?? Date.parse(row.since);
  }

  /** It was read by its id just now. */
  wasRead(row: InFlightRow, nextAt: number): void {
    this.watched.set(row.publicationId, { nextAt, failures: 0, readAt: this.deps.now() });
  }

  readAgainLater(row: InFlightRow, good: boolean): void {
    const known = this.watched.get(row.publicationId);
    const failures = good ? 0 : (known?.failures ?? 0) + 1;
    const jitter = 0.9 + Math.random() * 0.2;
    const nextAt = this.deps.now() + this.pauseOf(row, failures) * jitter;
    this.watched.set(row.publicationId, { ...known, nextAt, failures });
  }

  forget(publicationId: string): void {
    this.watched.delete(publicationId);
  }

  /** The shortest of the pauses (ms) between two reads of these rows. */
  intervalOf(rows: readonly InFlightRow[]): number {
    return rows.reduce((shortest, row) => Math.min(shortest, this.pauseOf(row, 0)), Infinity);
  }

  /** Pauses (ms) start short and grow with age; failed reads lengthen them further. */
  private pauseOf({ since }: InFlightRow, failures: number): number {
    const { pollMs, pollMaxMs } = this.deps.timings;
    const age = this.deps.now() - Date.parse(since);
    return Math.min(Math.max(pollMs, age / 10) * 2 ** Math.min(failures, 6), pollMaxMs);
  }
}
