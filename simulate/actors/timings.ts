import { type Timings } from '../../activities/timings';

const SECOND = 1_000;

/** Production's proportions, in seconds where those are minutes: what waits is as often looked at, and fewer times in all. */
export const TIMINGS: Timings = {
  pollMs: 2 * SECOND,
  pollMaxMs: 10 * SECOND,
  settleMs: 10 * SECOND,
  settleUploadMs: 20 * SECOND,
  lookGapMs: 3 * SECOND,
  reconcileForMs: 40 * SECOND,
  silentAfterMs: 12 * SECOND,
  silentUnconfirmedMs: 40 * SECOND,
  retryAfterMaxMs: 60 * SECOND,
  throttledMs: 5 * SECOND,
  slotWaitMs: 5 * SECOND,
  parkedProbeMs: 4 * SECOND,
  parkedProbeMaxMs: 16 * SECOND,
};

/** How often the ledger hears that a worker lives. */
export const SEEN_MS = 5 * SECOND;

export const SPOOL = '/ledger/spool';
