import { type Ledger } from '../ledger/ledger';
import { type Counts, type RunInfo } from '../ledger/types';
import { showDuration } from './durations';
import { problemsOf, type ShownProblem } from './problem-lines';

/** A worker that runs tells the ledger so every 5 s. */
export const SILENT_AFTER_MS = 20_000;
/** What costs more than a look is read at most so often. */
const REREAD_MS = 10_000;
/** Newest problems that are kept in sight. */
const PROBLEMS = 3;

/** What a watch shows beside the counts. */
export interface WatchFacts {
  /** Rows that the run still has to end: those of a trial that aren't sent are none of it. */
  left: number;
  /** When the last row is sent by its time and its channel's pace, ms since the epoch; null: nothing waits. */
  lastSendAt: number | null;
  /** The newest rows that went wrong, newest first. */
  problems: readonly ShownProblem[];
  /** `no worker is heard since …`; null while one is. */
  silent: string | null;
}

/** Reads them for one run, each no oftener than it changes or costs. */
export function createWatchFacts(ledger: Ledger): (run: RunInfo, counts: Counts) => Promise<WatchFacts> {
  let wrong = '';
  let problems: readonly ShownProblem[] = [];
  let estimate: { at: number | null; readAt: number } | null = null;
  return async (run, counts) => {
    const now = Date.now();
    const seen = `${run.campaign}.${String(run.number)} ${String(counts.failed)} ${String(counts.rejected)} ${String(counts.overdue)}`;
    if (seen !== wrong) problems = await problemsOf(ledger, run, counts, { limit: PROBLEMS });
    wrong = seen;
    const rest = (counts.planned ?? 0) + (counts.waiting ?? 0);
    if (!run.open || rest === 0) estimate = null;
    else if (estimate === null || now - estimate.readAt >= REREAD_MS)
      estimate = { at: (await ledger.lastSend(run)).at, readAt: now };
    return {
      left: run.open ? await ledger.openRows(run) : 0,
      lastSendAt: estimate?.at ?? null,
      problems,
      silent: run.open ? await silence(ledger, now) : null,
    };
  };
}

/** The whole run stands still where no worker is heard: it is told long before its rows are given up. */
export async function silence(ledger: Ledger, now: number, afterMs = SILENT_AFTER_MS): Promise<string | null> {
  const pulse = await ledger.lastPulse();
  if (pulse === null) return null;
  const ms = now - Date.parse(pulse.seenAt);
  if (ms < afterMs) return null;
  return `worker silent since ${pulse.seenAt} (${showDuration(ms)}): process ${String(pulse.pid)} has stopped or is frozen, and no other is heard`;
}
