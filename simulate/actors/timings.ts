import { type Timings } from '../../activities/timings';

const SECOND = 1_000;

/** Production's proportions, in seconds where those are minutes: what waits is as often looked at, and fewer times in all. */
export const TIMINGS: Timings = {
  pollMs: 600,
  pollMaxMs: 2_500,
  settleMs: 3 * SECOND,
  settleUploadMs: 6 * SECOND,
  lookGapMs: 1_200,
  reconcileForMs: 9 * SECOND,
  silentAfterMs: 6 * SECOND,
  silentUnconfirmedMs: 10 * SECOND,
  retryAfterMaxMs: 10 * SECOND,
  throttledMs: 1 * SECOND,
  slotWaitMs: 3 * SECOND,
  parkedProbeMs: 1 * SECOND,
  parkedProbeMaxMs: 4 * SECOND,
};

/** How often the ledger hears that a worker lives. */
export const SEEN_MS = 5 * SECOND;

export const SPOOL = '/ledger/spool';
