import { type Timings } from '../../activities/timings';

const SECOND = 1_000;

/** Production's proportions, in seconds where those are minutes: what waits is as often looked at, and fewer times in all. */
export const TIMINGS: Timings = {
  pollMs: 1 * SECOND,
  pollMaxMs: 5 * SECOND,
  settleMs: 6 * SECOND,
  settleUploadMs: 12 * SECOND,
  lookGapMs: 2 * SECOND,
  reconcileForMs: 18 * SECOND,
  silentAfterMs: 8 * SECOND,
  silentUnconfirmedMs: 20 * SECOND,
  retryAfterMaxMs: 30 * SECOND,
  throttledMs: 2 * SECOND,
  slotWaitMs: 5 * SECOND,
  parkedProbeMs: 2 * SECOND,
  parkedProbeMaxMs: 8 * SECOND,
};

/** How often the ledger hears that a worker lives. */
export const SEEN_MS = 5 * SECOND;

export const SPOOL = '/ledger/spool';
