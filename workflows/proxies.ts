import { proxyActivities, type ActivityInterfaceFor } from '@temporalio/workflow';
import { type ReelayActivities } from '../activities/contract';

type Control = Pick<
  ReelayActivities,
  'beginRun' | 'importManifest' | 'takePage' | 'wakeChannels' | 'finishRun' | 'cancelRun'
>;
type Creates = Pick<ReelayActivities, 'createPublications'>;
type Watches = Pick<ReelayActivities, 'watchPublications'>;

/**
 * A worker that dies is noticed within this time. Its rows don't depend on it: the ledger and the death of its process
 * settle them, never a time-out.
 */
const LOST_AFTER = '15 seconds';

/**
 * Never retried: an answer above Temporal's limit (2 MB) stays too large. The workflow fails and shows why, and the
 * ledger has everything that happened.
 */
export const TOO_LARGE = 'PayloadsTooLarge';

/**
 * A host may have no worker: a row that isn't taken comes back after this time, so that a cancel or a new host is
 * noticed.
 */
const UNSERVED_AFTER = '15 minutes';

/** Reads and writes of the ledger: short, safe to repeat, retried until they succeed. */
export function control(summary?: string): ActivityInterfaceFor<Control> {
  return proxyActivities<Control>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '1 minute',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute', nonRetryableErrorTypes: [TOO_LARGE] },
    ...(summary === undefined ? {} : { summary }),
  });
}

/**
 * Creates. One attempt only: rows that a lost activity had claimed are in the ledger, where reconciling settles them.
 * The claim is the guard; a second attempt of the activity would find its rows taken. They have their own queues:
 * however many creates hang, pages, imports, cancels and notices never wait behind them.
 */
export function creates(
  summary: string,
  { taskQueue, upload, mayBeUnserved }: { taskQueue: string; upload: boolean; mayBeUnserved: boolean },
): ActivityInterfaceFor<Creates> {
  return proxyActivities<Creates>({
    startToCloseTimeout: upload ? '24 hours' : '1 hour',
    heartbeatTimeout: LOST_AFTER,
    ...(mayBeUnserved ? { scheduleToStartTimeout: UNSERVED_AFTER } : {}),
    retry: { maximumAttempts: 1 },
    summary,
    taskQueue,
  });
}

/** Following: one activity per run, on its own queue, so that creates and uploads never starve it. */
export function watches(taskQueue: string, budgetMs: number): ActivityInterfaceFor<Watches> {
  return proxyActivities<Watches>({
    startToCloseTimeout: budgetMs + 10 * 60_000,
    heartbeatTimeout: LOST_AFTER,
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds', nonRetryableErrorTypes: [TOO_LARGE] },
    taskQueue,
    summary: 'following publications',
  });
}
