import { type ActivityDeps } from '../deps';

/**
 * A read of an account's list from its newest entry down: own publications recorded within this time should have been
 * in it.
 */
export interface ListRead {
  /**
   * When the oldest own publication that it reached was recorded, and when it began; even time
   * (`AttemptClock.evenTime`), ms.
   */
  from: number;
  to: number;
}

export interface ListReading {
  previous: ListRead | undefined;
  clock: Pick<ActivityDeps['clock'], 'evenTime' | 'earliest'>;
  /** An own publication that the list shows; by the local clock, ms since the epoch. */
  reached: (notedAt: number) => void;
}

/** The reads of accounts' lists, so that a publication's lag in a list can be distinguished from our own pauses. */
export class ListReads {
  private readonly last = new Map<string, ListRead>();

  constructor(private readonly clock: Pick<ActivityDeps['clock'], 'evenTime' | 'earliest'>) {}

  /** When the newest read began; even time, ms. */
  newest(account: string): number {
    return this.last.get(account)?.to ?? -Infinity;
  }

  /** Begins a read, or records one that began at that even time (ms); returns the previous one, for comparison. */
  begin(account: string, begunAt = this.clock.evenTime()): ListReading {
    const { clock } = this;
    const previous = this.last.get(account);
    const current: ListRead = { from: begunAt, to: begunAt };
    this.last.set(account, current);
    return {
      previous,
      clock,
      reached: (notedAt) => {
        current.from = Math.min(current.from, clock.earliest(notedAt));
      },
    };
  }
}
