import { type Timings } from '../../activities/timings';

const SECOND = 1_000;

/** Production's proportions, in seconds instead of minutes: waiting states are checked as often, in less total time. */
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

/** How often a worker reports to the ledger. */
export const SEEN_MS = 5 * SECOND;

export const SPOOL = '/ledger/spool';
