import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  patched,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { type ChannelBrief, type WatchResult, type Counts, type RunRef } from '../activities/contract';
import { channelSummary, failureText, runDetails, runProblems } from './details';
import { startNotices } from './deliver-notice';
import { channelWorkflowId, SANDBOX_NAMESPACE, taskQueues } from './ids';
import { channelAttributes, showInLists, showRun } from './search';
import { earlierWakeSignal, submittedSignal, wakeSignal } from './messages';
import { control, watches } from './proxies';
import { localTime } from '../wording/times';
import { publishChannel } from './publish-channel';

export interface PublishCampaignInput {
  campaign: string;
  ledgerId: string;
  /** The namespace has our search attributes. */
  searchable?: boolean;
  /** Also has the attribute with the run's number. */
  searchableRun?: boolean;
}

export interface PublishCampaignResult {
  run: string | null;
  counts: Counts;
  /** How many rows went wrong, the newest of them, and what to do: a failed run shows them first. */
  wrong?: number;
  problems?: string[];
  next?: string[];
}

/** Channels started at once: a burst of starts would time out workflow tasks. */
const STARTS_AT_ONCE = 20;
/** Channels woken by one activity: their ids stay far below the payload size that Temporal warns about. */
const WAKES_AT_ONCE = 500;
/** How long the end of a run waits for its channels before it checks again whether new rows arrived. */
const CHANNELS_END_MS = 60_000;
const CHANNEL_CONCURRENCY = 4;
const FIRST_CHECK_MS = 5_000;

/**
 * Publishes a campaign according to its manifest: one execution per run. It imports what was submitted, starts a child
 * for each channel, follows publications, and ends when the ledger shows that every row has ended. It never continues
 * as new (that would cancel its children): it polls less often as its history grows.
 */
export async function publishCampaign(input: PublishCampaignInput): Promise<PublishCampaignResult> {
  const queues = taskQueues(input.ledgerId);
  const sandbox = workflowInfo().namespace === SANDBOX_NAMESPACE;
  const running = new Map<string, Promise<void>>();
  const asked = { submitted: true, wasWoken: false, cancel: false };
  const ended = { cancelled: false };
  const told = new Set<string>();
  let parked: string[] = [];
  /** The highest sequence number of the ledger that was seen. */
  let sequence = 0;
  let shownInLists = '';
  let result: PublishCampaignResult = { run: null, counts: {} };

  setHandler(submittedSignal, () => {
    asked.submitted = true;
  });
  for (const signal of [wakeSignal, earlierWakeSignal])
    setHandler(signal, () => {
      asked.wasWoken = true;
    });
  CancellationScope.current().cancelRequested.catch((error: unknown) => {
    if (isCancellation(error)) asked.cancel = true;
  });
  patched('campaign-2026-11');
  // One activity wakes all channels, however many; earlier versions used two events per channel and wake-up.
  const wakesTogether = patched('wakes-2026-12');
  // In earlier versions, a run with rows that went wrong ended as completed, and the list didn't show that.
  const failsWithRows = patched('rows-fail-2026-12');

  await CancellationScope.nonCancellable(async () => {
    while (asked.submitted) {
      // Cleared before the ledger is read: anything submitted after that read sets it again.
      if (wakesTogether) asked.submitted = false;
      const run = await control('finding the open run').beginRun({ campaign: input.campaign });
      if (!wakesTogether) asked.submitted = false;
      if (run === null) {
        if (wakesTogether) continue;
        break;
      }
      await work(run);
    }
  });
  if (ended.cancelled) throw new CancelledFailure(`cancelled: ${result.run ?? input.campaign}`);
  if (result.wrong !== undefined && failsWithRows)
    throw ApplicationFailure.nonRetryable(failureText(result), 'RowsWentWrong', result);
  return result;

  async function work(run: RunRef): Promise<void> {
    const name = `${run.campaign}.${run.number}`;
    result = { run: name, counts: {} };
    if (input.searchableRun === true) showRun(name);
    // A cancel ends the run it was requested for; a later submission begins another one.
    if (wakesTogether) ended.cancelled = false;
    await importAndStart(run);
    for (let looks = 0; ; looks += 1) {
      // The first watch returns soon, so that the details show the run's progress and not only that it began.
      const budgetMs = looks === 0 ? FIRST_CHECK_MS : stretched(60_000, 30 * 60_000);
      const started = Date.now();
      const watching = watches(queues.watch, budgetMs).watchPublications({
        run,
        budgetMs,
        atLeastMs: stretched(1_000, 120_000),
        ...(told.size > 0 ? { told: [...told] } : {}),
        ...(parked.length > 0 ? { parked } : {}),
        ...(sequence > 0 ? { sequence } : {}),
        ...(result.wrong === undefined ? { firstProblem: true } : {}),
      });
      // Stored as a value, so that a failure while this waits for something else is not an unhandled rejection.
      let outcome: { seen: WatchResult } | { error: unknown } | undefined;
      void watching.then(
        (seen) => {
          outcome = { seen };
        },
        (error: unknown) => {
          outcome = { error };
        },
      );
      let overtaken = false;
      while (outcome === undefined) {
        await condition(() => outcome !== undefined || isAsked());
        overtaken ||= isAsked();
        if (asked.cancel) {
          asked.cancel = false;
          ended.cancelled = true;
          await control('cancel requested in Temporal').cancelRun({ run });
          await wakeOpenChannels(run);
        }
        if (asked.submitted) {
          asked.submitted = false;
          const withRows = await importAndStart(run);
          await wakeOpenChannels(run, wakesTogether ? withRows : undefined);
        }
        if (asked.wasWoken) {
          asked.wasWoken = false;
          await wakeOpenChannels(run);
        }
      }
      if ('error' in outcome) throw outcome.error;
      const { seen } = outcome;
      parked = seen.parked ?? [];
      sequence = Math.max(sequence, seen.sequence ?? 0);
      result = { run: name, counts: seen.counts, ...runProblems(run, seen, sandbox) };
      setCurrentDetails(runDetails(run, seen, sandbox));
      if (input.searchable === true) shownInLists = showInLists(seen, shownInLists);
      await startNotices(seen.notices ?? [], told);
      if (!seen.holds) return;
      // Only a watch that opened something requests this: otherwise its channels would wait for minutes.
      if (seen.hurry === true) await wakeOpenChannels(run);
      else if (seen.wake !== undefined) await wakeOpenChannels(run, seen.wake);
      if (seen.open === 0) {
        if (running.size > 0) await wakeOpenChannels(run);
        if (wakesTogether) {
          await condition(() => running.size === 0 || isAsked(), CHANNELS_END_MS);
          // New rows arrived meanwhile: the channels wait for their rows, and this checks again.
          if (running.size > 0) continue;
        } else await Promise.all(running.values());
        const { finished, notice } = await control('closing the run').finishRun({ run });
        if (notice !== undefined) await startNotices([notice], told);
        if (finished) return;
        await importAndStart(run);
      } else {
        await startMissing(run, seen.channels);
      }
      // What was asked for meanwhile may have changed when the next row is due: only another look tells.
      if (seen.idleUntil !== null && !(overtaken && patched('looks-again-2026-12')))
        await idle(seen.idleUntil, seen.zone);
      // However quickly a watch returns, the history must not fill up.
      if (Date.now() - started < 1_000) await sleep(stretched(1_000, 60_000), { summary: 'pause between two reads' });
    }
  }

  function isAsked(): boolean {
    return asked.submitted || asked.wasWoken || asked.cancel;
  }

  /** Everything waits for its time: a timer, which a submission or a gate interrupts. */
  async function idle(until: string, zone = 'UTC'): Promise<void> {
    await condition(isAsked, Math.max(Date.parse(until) - Date.now(), 1), {
      summary: `waiting for the next row: ${localTime(until, { zone, now: Date.now() })} (${zone})`,
    });
  }

  /** Returns the channels that have rows to send. */
  async function importAndStart(run: RunRef): Promise<string[]> {
    setCurrentDetails(`**${run.campaign}.${run.number}** · importing the manifest`);
    const imported = await control('importing the manifest').importManifest({ run });
    await startMissing(run, imported.channels);
    return imported.channels.map(({ id }) => id);
  }

  async function startMissing(run: RunRef, channels: readonly ChannelBrief[]): Promise<void> {
    const missing = channels.filter((channel) => !running.has(channel.id));
    for (let at = 0; at < missing.length; at += STARTS_AT_ONCE) {
      await Promise.all(missing.slice(at, at + STARTS_AT_ONCE).map((channel) => start(run, channel)));
    }
  }

  async function start(run: RunRef, channel: ChannelBrief): Promise<void> {
    try {
      const child = await startChild(publishChannel, {
        workflowId: channelWorkflowId(run, channel.id),
        args: [
          {
            run,
            ledgerId: input.ledgerId,
            channelId: channel.id,
            label: channel.label,
            concurrency: CHANNEL_CONCURRENCY,
            ...(sequence > 0 ? { sequence } : {}),
          },
        ],
        staticSummary: channelSummary(run, channel),
        ...(input.searchable === true
          ? { typedSearchAttributes: channelAttributes(run, channel, input.searchableRun === true) }
          : {}),
        // A cancel of this workflow becomes a gate in the ledger; the channels see that and drain.
        parentClosePolicy: 'TERMINATE',
      });
      running.set(
        channel.id,
        child
          .result()
          .then(() => undefined)
          .catch((error: unknown) => {
            if (!(error instanceof ChildWorkflowFailure)) throw error;
            log.warn('a channel ended early; it is started again while rows are left', { channel: channel.label });
          })
          .finally(() => running.delete(channel.id)),
      );
    } catch (error) {
      // Still running from before: it takes its rows from the ledger anyway.
      log.warn('a channel could not be started', { channel: channel.label, error: String(error) });
    }
  }

  /** `only`: just these channels. */
  async function wakeOpenChannels(run: RunRef, only?: readonly string[]): Promise<void> {
    const chosen = only === undefined ? null : new Set(only);
    const channels = [...running.keys()].filter((channelId) => chosen?.has(channelId) ?? true);
    if (wakesTogether) {
      const workflowIds = channels.map((channelId) => channelWorkflowId(run, channelId));
      for (let at = 0; at < workflowIds.length; at += WAKES_AT_ONCE)
        await control('waking channels').wakeChannels({ workflowIds: workflowIds.slice(at, at + WAKES_AT_ONCE) });
      return;
    }
    await Promise.all(
      channels.map(async (channelId) => {
        try {
          await getExternalWorkflowHandle(channelWorkflowId(run, channelId)).signal(earlierWakeSignal);
        } catch {
          // It ended meanwhile: nothing to wake.
        }
      }),
    );
  }
}

setWorkflowOptions({ failureExceptionTypes: [Error] }, publishCampaign);

/** From `short` while the history is young to `long` when it is old, so that it stays under 8,000 events. */
function stretched(short: number, long: number): number {
  const share = Math.min(workflowInfo().historyLength / 6_000, 1);
  return Math.round(short * (long / short) ** share);
}
