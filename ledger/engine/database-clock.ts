import { sql } from 'kysely';
import { type Db } from './store';

/** Queries per comparison; the fastest answer counts. */
const QUESTIONS = 3;
/** Between two comparisons, ms. */
const EVERY_MS = 60_000;

/** The database's time of day, as measured by this process. */
export interface DatabaseClock {
  /** ms since the epoch. */
  now: () => number;
  close(): void;
}

/**
 * Hosts that share a ledger compare times that other hosts recorded, so all of them use the clock of its database: this
 * host's clock, corrected by the difference between the two. The difference is measured again every minute; while the
 * database can't be reached, the last measurement is used.
 */
export async function startDatabaseClock(db: Db): Promise<DatabaseClock> {
  let aheadMs = await comparison(db);
  const timer = setInterval(() => {
    comparison(db).then(
      (measured) => (aheadMs = measured),
      () => undefined,
    );
  }, EVERY_MS);
  timer.unref();
  return { now: () => Math.round(Date.now() + aheadMs), close: () => clearInterval(timer) };
}

/** How far the database's clock is ahead of this host's, ms; the error is at most half of the response time. */
async function comparison(db: Db): Promise<number> {
  let quickest = { tookMs: Infinity, aheadMs: 0 };
  for (let question = 0; question < QUESTIONS; question++) {
    const asked = Date.now();
    const began = performance.now();
    const { rows } = await sql<{ at: number }>`select extract(epoch from clock_timestamp()) * 1000 as at`.execute(db);
    const tookMs = performance.now() - began;
    const at = rows[0]?.at ?? asked;
    if (tookMs < quickest.tookMs) quickest = { tookMs, aheadMs: at - asked - tookMs / 2 };
  }
  return quickest.aheadMs;
}
