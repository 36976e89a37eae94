import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setWorkflowOptions,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AwaitedRun,
  type FiringActivities,
  type ScheduleDefinition,
  type SubmittedFiring,
} from '../activities/schedules/contract';
import { type Counts, type RunRef } from '../activities/contract';
import { startNotices } from './deliver-notice';
import { taskQueues } from './ids';
import { TOO_LARGE } from './proxies';

export interface ScheduledBatchInput {
  definition: ScheduleDefinition;
  ledgerId: string;
}

export interface ScheduledBatchResult {
  key: string;
  outcome: string;
  run: string | null;
  reason: string | null;
}

const nominalKey = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

/** Reads and writes of the ledger and of Temporal: safe to repeat, retried until they succeed. */
const { openFiring, endFiring } = proxyActivities<Pick<FiringActivities, 'openFiring' | 'endFiring'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', nonRetryableErrorTypes: [TOO_LARGE] },
});

/** The manifest and the profiles have to be read: given up after an hour, with a notice. */
const { submitFiring } = proxyActivities<Pick<FiringActivities, 'submitFiring'>>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '1 minute',
  scheduleToCloseTimeout: '1 hour',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', nonRetryableErrorTypes: [TOO_LARGE] },
});

/**
 * One firing of a schedule: reads the manifest as it is now, starts or joins the campaign's run, and lasts until that
 * run has ended, so that the schedule's overlap policy applies to the run. The ledger ensures that it fires at most
 * once.
 */
export async function scheduledBatch(input: ScheduledBatchInput): Promise<ScheduledBatchResult> {
  const { definition } = input;
  const info = workflowInfo();
  const nominal = info.typedSearchAttributes.get(nominalKey) ?? info.startTime;
  const opened = await openFiring({ definition, nominalAt: nominal.toISOString() });
  const { key, firing, nominalAt } = opened;
  if (!opened.due || firing === null) return { key, outcome: opened.outcome, run: null, reason: opened.reason };

  let run: RunRef | null = null;
  try {
    const submitted = await submit(definition, firing, nominalAt);
    if (submitted.kind !== 'submitted') {
      const { outcome, code, reason } = submitted;
      if (outcome === 'nothing') return { key, outcome, run: null, reason };
      // Its end is already in the ledger; what remains is to check whether the schedule has to be paused.
      await told(endFiring({ definition, firing, outcome: 'failed', code, reason }));
      throw ApplicationFailure.nonRetryable(reason, code);
    }
    run = submitted.run;
    const name = `${run.campaign}.${run.number}`;
    setCurrentDetails(`Firing of **${key}**: waiting for the end of run **${name}** (\`reelay status ${name}\`).`);
    const { ended, counts } = await untilEnded(run, input.ledgerId);
    const outcome = ended ?? 'done';
    const reason = countsText(counts);
    await endFiring({ definition, firing, outcome, code: `run-${outcome}`, reason });
    return { key, outcome, run: name, reason };
  } catch (error) {
    if (error instanceof ApplicationFailure) throw error;
    const cancelled = isCancellation(error);
    const reason = cancelled ? `cancelled in Temporal${run === null ? '' : '; its run continues'}` : messageOf(error);
    await CancellationScope.nonCancellable(() =>
      told(
        endFiring({
          definition,
          firing,
          outcome: cancelled ? 'stopped' : 'failed',
          code: cancelled ? 'cancelled' : 'unreachable',
          reason,
        }),
      ),
    );
    throw error;
  }
}

/** Notices about the end are sent by their own workflows. */
async function told(ending: ReturnType<FiringActivities['endFiring']>): Promise<void> {
  const { notices } = await ending;
  await startNotices(notices, new Set());
}

setWorkflowOptions({ failureExceptionTypes: [Error] }, scheduledBatch);

async function submit(
  definition: ScheduleDefinition,
  firing: number,
  nominalAt: string,
): Promise<Exclude<SubmittedFiring, { kind: 'missing' }>> {
  const started = Date.now();
  let waitOver = false;
  while (true) {
    const submitted: SubmittedFiring = await submitFiring({ definition, firing, nominalAt, waitOver });
    if (submitted.kind !== 'missing') return submitted;
    const left: number = started + submitted.waitMs - Date.now();
    const [file = ''] = submitted.files;
    setCurrentDetails(`Waiting for ${submitted.files.length} files that aren't there yet, such as \`${file}\`.`);
    // Every minute for two hours, then less and less often: a history has room for only some thousand checks.
    const pauseMs: number = Math.max(60_000, Math.floor((Date.now() - started) / 120));
    if (left > 0) await sleep(Math.min(left, pauseMs), { summary: `waiting for ${file}`.slice(0, 150) });
    waitOver = left <= pauseMs;
  }
}

async function untilEnded(run: RunRef, ledgerId: string): Promise<AwaitedRun & { counts: Counts }> {
  while (true) {
    // A long run needs few events: each wait is longer than the one before.
    const budgetMs = Math.min(60_000 * (1 + workflowInfo().historyLength / 10), 6 * 3_600_000);
    const { awaitRun } = proxyActivities<Pick<FiringActivities, 'awaitRun'>>({
      taskQueue: taskQueues(ledgerId).watch,
      startToCloseTimeout: budgetMs + 10 * 60_000,
      heartbeatTimeout: '30 seconds',
      retry: { initialInterval: '1 second', maximumInterval: '30 seconds', nonRetryableErrorTypes: [TOO_LARGE] },
      summary: `waiting for ${run.campaign}.${run.number}`,
    });
    const waited = await awaitRun({ run, budgetMs });
    if (waited.ended !== null) return waited;
  }
}

function countsText(counts: Counts): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([state, count]) => `${count} ${state}`).join(', ');
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const deeper = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return deeper instanceof Error ? deeper.message : String(deeper);
}
