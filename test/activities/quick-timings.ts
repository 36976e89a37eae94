import { type Timings, SANDBOX_TIMINGS } from '../../activities/timings';

/** Quick enough for tests, in the same order as production's. */
export const QUICK: Timings = {
  ...SANDBOX_TIMINGS,
  pollMs: 30,
  pollMaxMs: 200,
  settleMs: 400,
  settleUploadMs: 600,
  lookGapMs: 60,
  reconcileForMs: 5_000,
  silentAfterMs: 300,
  silentUnconfirmedMs: 1_500,
  throttledMs: 100,
  parkedProbeMs: 50,
  parkedProbeMaxMs: 200,
  retryAfterMaxMs: 1_000,
};
