import { setMaxListeners } from 'node:events';
import { activityInfo, CancelledFailure, Context, heartbeat } from '@temporalio/activity';
import { CancelWatch } from './publish/cancel-watch';
import { reportHealth } from './accounts/account-health';
import { type ActivityContext } from './context';
import { type ReelayActivities } from './contract';
import { createPublications } from './publish/create-publications';
import { type ActivityDeps } from './deps';
import { cancelRun, finishRun, importManifest, takePage } from './run/run-activities';
import { type NoticeActivities } from './notices/contract';
import { sendNotice } from './notices/send-notice';
import { type FiringActivities } from './schedules/contract';
import { firingActivities } from './schedules/firing-activities';
import { NO_SCHEDULES, type ScheduleServer } from './schedules/schedule-server';
import { SharedPages } from './follow/shared-pages';
import { Slots } from './publish/places/slots';
import { type Spool } from './publish/spool/spool';
import { Departures } from './publish/places/departures';
import { Turns } from './publish/places/turns';
import { provenDeleted } from './reconcile/proven-deleted';
import { RollbackWitness } from './reconcile/rollback-witness';
import { watchPublications } from './run/watch-publications';

export interface ActivityOptions {
  /** For outcomes that can't be written to the ledger. */
  spool: Spool;
  /** Maximum number of open creates of one account in this process. */
  accountConcurrency: number;
  /** Signals waiting workflows; one that has ended is not an error. */
  wakeChannels: (workflowIds: readonly string[]) => Promise<void>;
  /** The Temporal functions that firings of schedules need; without them there are no firings. */
  schedules?: ScheduleServer;
}

/** Heartbeats are sent by a timer, independent of the activity's progress; only activities that last over 5 s send any. */
const HEARTBEAT_MS = 5_000;

/**
 * Heartbeats that carry the ledger's sequence number, which after a crash shows whether an older copy was restored: the
 * default interval is too long for that.
 */
const WATCH_HEARTBEAT_MS = 1_000;

/** The activities of one worker process, with their dependencies injected. */
export function createActivities(
  given: ActivityDeps,
  options: ActivityOptions,
): ReelayActivities & FiringActivities & NoticeActivities {
  const deps = { ...given, accounts: reportHealth(given) };
  // Every pause of every activity listens to this signal.
  setMaxListeners(0, deps.stopping);
  const { spool } = options;
  const cancels = new CancelWatch(deps.ledger);
  const witness = new RollbackWitness(deps);
  const isProvenDeleted = provenDeleted(deps);
  const slots = new Map<string, Slots>();
  const slotsOf = (account: string): Slots => {
    const known = slots.get(account) ?? new Slots(options.accountConcurrency);
    slots.set(account, known);
    return known;
  };
  const departures = new Departures();
  const pages = new SharedPages(deps.clock);
  const turns = new Map<string, Turns>();
  const turnsOf = (channelId: string): Turns => {
    const known = turns.get(channelId) ?? new Turns();
    turns.set(channelId, known);
    return known;
  };

  return {
    ...firingActivities({ ...deps, schedules: options.schedules ?? NO_SCHEDULES }, { beating, contextOf }),
    beginRun: ({ campaign }) =>
      beating(async () => {
        const { workflowExecution } = activityInfo();
        if (workflowExecution === undefined) throw new Error('beginRun runs in a workflow only');
        return deps.ledger.beginRun({
          campaign,
          workflowId: workflowExecution.workflowId,
          workflowRunId: workflowExecution.runId,
        });
      }),
    importManifest: (input) => beating(() => importManifest(deps, input, { heartbeat })),
    takePage: (input) => beating(() => takePage(deps, input)),
    finishRun: (input) => beating(() => finishRun(deps, input)),
    cancelRun: (input) => beating(() => cancelRun(deps, input)),
    wakeChannels: ({ workflowIds }) => beating(() => options.wakeChannels(workflowIds)),
    sendNotice: (input) => beating(() => sendNotice(deps, input)),
    createPublications: (input) =>
      beating((beat) =>
        createPublications(
          { ...deps, spool, slots: slotsOf, turns: turnsOf, departures, cancels, witness, isProvenDeleted },
          input,
          contextOf(beat, deps.stopping),
        ),
      ),
    watchPublications: (input) =>
      beating((beat) => {
        // A lost attempt may have seen a higher number than the workflow.
        const sequence = Math.max(input.sequence ?? 0, sequenceIn(activityInfo().heartbeatDetails));
        return watchPublications({ ...deps, spool, pages }, { ...input, sequence }, contextOf(beat, deps.stopping));
      }, WATCH_HEARTBEAT_MS),
  };
}

function sequenceIn(details: unknown): number {
  const { sequence } = (details ?? {}) as { sequence?: unknown };
  return typeof sequence === 'number' ? sequence : 0;
}

export type Beat = (details: unknown) => void;

/** Keeps the activity's newest details and sends them on a timer. */
async function beating<T>(work: (beat: Beat) => Promise<T>, everyMs = HEARTBEAT_MS): Promise<T> {
  let details: unknown = undefined;
  const timer = setInterval(() => heartbeat(details), everyMs);
  try {
    return await work((newest) => {
      details = newest;
    });
  } finally {
    clearInterval(timer);
  }
}

function contextOf(beat: Beat, stopping: AbortSignal): ActivityContext {
  const { cancellationSignal } = Context.current();
  setMaxListeners(0, cancellationSignal);
  return {
    cancelled: cancellationSignal,
    shuttingDown: () => stopping.aborted || isShutdown(cancellationSignal),
    heartbeat: beat,
    pause: (ms: number) => pause(ms, [cancellationSignal, stopping]),
  };
}

/** The worker's grace period has ended: Temporal cancels what is left with this message. */
function isShutdown(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof CancelledFailure && signal.reason.message === 'WORKER_SHUTDOWN';
}

/** Sleeps, but returns soon when the activity is cancelled or the process stops; the caller then checks the signals. */
async function pause(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  const stopped = signals.some((signal) => signal.aborted);
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, stopped ? Math.min(ms, 250) : ms);
    if (!stopped) for (const signal of signals) signal.addEventListener('abort', done);
  });
}
