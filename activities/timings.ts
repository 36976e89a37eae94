/**
 * All times that following and reconciling use, in ms. All are settings: a test or a rehearsal uses seconds where
 * production uses minutes.
 */
export interface Timings {
  /** First pause between two reads of one publication; it grows with the publication's age. */
  pollMs: number;
  pollMaxMs: number;
  /**
   * From the end of an attempt whose answer was lost until its absence may count: longer than the time limit of a
   * request, since the service may accept until then.
   */
  settleMs: number;
  /** The same for an upload, whose answer may take long after its last byte. */
  settleUploadMs: number;
  /** Between two scans of the account's list for one attempt. */
  lookGapMs: number;
  /** An attempt that can't be settled in this time is `unconfirmed`. */
  reconcileForMs: number;
  /** A worker that has written nothing for this long is shown as silent. */
  silentAfterMs: number;
  /** Rows of a worker that has been silent for this long become `unconfirmed`. */
  silentUnconfirmedMs: number;
  /** The longest wait accepted from a Retry-After. */
  retryAfterMaxMs: number;
  /** The pause after a 429 or 503 that names none. */
  throttledMs: number;
  /** How long a create waits in its activity for a free slot before the channel tries again later. */
  slotWaitMs: number;
  /** Between two probes of what is parked; it doubles up to the maximum. */
  parkedProbeMs: number;
  parkedProbeMaxMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const PRODUCTION_TIMINGS: Timings = {
  pollMs: 5 * SECOND,
  pollMaxMs: 60 * SECOND,
  settleMs: 2 * MINUTE,
  settleUploadMs: 15 * MINUTE,
  lookGapMs: 15 * SECOND,
  reconcileForMs: 30 * MINUTE,
  silentAfterMs: 20 * SECOND,
  silentUnconfirmedMs: 60 * MINUTE,
  retryAfterMaxMs: 60 * MINUTE,
  throttledMs: 30 * SECOND,
  slotWaitMs: 20 * SECOND,
  parkedProbeMs: 1 * MINUTE,
  parkedProbeMaxMs: 30 * MINUTE,
};

/** For the sandbox, whose requests end within seconds. */
export const SANDBOX_TIMINGS: Timings = {
  pollMs: 250,
  pollMaxMs: 5 * SECOND,
  settleMs: 4 * SECOND,
  settleUploadMs: 15 * SECOND,
  lookGapMs: 1 * SECOND,
  reconcileForMs: 60 * SECOND,
  silentAfterMs: 10 * SECOND,
  silentUnconfirmedMs: 2 * MINUTE,
  retryAfterMaxMs: 1 * MINUTE,
  throttledMs: 2 * SECOND,
  slotWaitMs: 20 * SECOND,
  parkedProbeMs: 2 * SECOND,
  parkedProbeMaxMs: 30 * SECOND,
};
