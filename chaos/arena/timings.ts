/**
 * Seconds where production has minutes, in the same order: a request ends (5 s) before its absence may count (7 s), and
 * a worker may be silent for longer than Temporal's own time-outs (15 s) before its rows are left to a person.
 */
export const CHAOS_TIMINGS = {
  pollMs: 300,
  pollMaxMs: 2_000,
  settleMs: 7_000,
  lookGapMs: 500,
  reconcileForMs: 45_000,
  silentAfterMs: 5_000,
  silentUnconfirmedMs: 120_000,
  retryAfterMaxMs: 3_000,
  throttledMs: 500,
  slotWaitMs: 5_000,
  parkedProbeMs: 1_000,
  parkedProbeMaxMs: 4_000,
};

export const CHAOS_LIMITS = { answerMs: 5_000, createAnswerMs: 5_000 };

/** Bounds that only a hang exceeds, not a machine that runs much else, ms: of one command, and of a run. */
export const COMMAND_MS = 120_000;
export const ENDS_MS = 600_000;
