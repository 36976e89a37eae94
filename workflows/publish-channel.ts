import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  makeContinueAsNewFunc,
  patched,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import { type CreatePublicationsResult, type PageRow, type RunRef } from '../activities/contract';
import { ChannelQueue, GROUP, HELD_CHECK_MS } from './channel-queue';
import { groupSummary, oneLine } from './details';
import { filesQueue, taskQueues } from './ids';
import { earlierWakeSignal, wakeSignal } from './messages';
import { control, creates } from './proxies';
import { inReaderZone, localTime } from '../wording/times';

export interface PublishChannelInput {
  run: RunRef;
  ledgerId: string;
  channelId: string;
  label: string;
  /** Creates kept open at once; the claim enforces the real limit. */
  concurrency: number;
  /** Kept through continue-as-new: consecutive creates that could not reach the service. */
  unreachable?: number;
  /** Kept too: the highest sequence number of the ledger that was seen. */
  sequence?: number;
  /** Kept too: no create before this time (ms since the epoch), because the service asked for a wait. */
  pauseUntil?: number;
}

export interface PublishChannelResult {
  /** Why it ended. */
  ended: 'nothing-left' | 'superseded';
}

/** If one create takes longer than this, all slots of its activity wait for its end. */
const SLOW_CREATE_MS = 5_000;
/** Continue as new before the history gets slow to replay. */
const MAX_EVENTS = 1_000;
/** While a long upload runs, whose end a new history would have to wait for, it may grow to this size. */
const MOST_EVENTS = 8_000;
/**
 * Check the ledger at least this often, whatever timers are set: for a change that the run could not be notified of.
 * Measured: with 2 h, half of the activity of a campaign over days was checking.
 */
const RECHECK_MS = 6 * 60 * 60_000;
const MAX_UNREACHABLE_WAIT_MS = 5 * 60_000;

/**
 * Publishes one channel of a run: takes its rows in order, waits for their times with durable timers, and limits the
 * number of open creates. The claim in the ledger decides what may be sent, never this workflow.
 */
export async function publishChannel(input: PublishChannelInput): Promise<PublishChannelResult> {
  const queues = taskQueues(input.ledgerId);
  const queue = new ChannelQueue(() => Date.now());
  const open = new Set<Promise<void>>();
  /** Maximum number of creates that the running activities may have open together. */
  let busy = 0;
  /** One activity takes all free slots; after slow answers each slot has its own activity. */
  let wide = true;
  const asked = { wasWoken: false, cancel: false };
  let unreachable = input.unreachable ?? 0;
  let pauseUntil = input.pauseUntil ?? 0;
  let sequence = input.sequence ?? 0;
  let concurrency = input.concurrency;
  let broken: { error: unknown } | undefined;
  let uploading = 0;
  /** Number of creates that were begun while the service couldn't be reached. */
  let probing = 0;

  for (const signal of [wakeSignal, earlierWakeSignal])
    setHandler(signal, () => {
      asked.wasWoken = true;
    });
  // A cancel from the Web UI becomes a gate in the ledger, like any other; then the channel drains as usual.
  CancellationScope.current().cancelRequested.catch((error: unknown) => {
    if (isCancellation(error)) asked.cancel = true;
  });

  return CancellationScope.nonCancellable(async () => {
    while (true) {
      if (asked.cancel) {
        asked.cancel = false;
        await control('cancel requested in Temporal').cancelRun({ run: input.run, channelId: input.channelId });
        // A later submission may plan them again.
        queue.drop(patched('cancelled-rows-are-forgotten'));
        continue;
      }
      if (isHistoryDone() && (await drained())) {
        const { targetWorkerDeploymentVersionChanged: promoted } = workflowInfo();
        const next = makeContinueAsNewFunc<typeof publishChannel>(
          promoted ? { initialVersioningBehavior: 'AUTO_UPGRADE' } : {},
        );
        return next({ ...input, unreachable, pauseUntil, sequence });
      }

      const waitMs = pauseUntil - Date.now();
      if (waitMs > 0) {
        // Open creates continue meanwhile, however long an upload lasts.
        show(unreachable > 0 ? 'the service can’t be reached; trying again' : 'the service asked to wait');
        if (asked.wasWoken) queue.expectMore();
        asked.wasWoken = false;
        const woken = await condition(() => asked.wasWoken || asked.cancel, waitMs, {
          summary: oneLine(`${input.label}: waiting to try again`),
        });
        if (woken) pauseUntil = 0;
        continue;
      }

      // One row probes while the service can't be reached.
      const width = unreachable > 0 ? 1 : concurrency;
      if (queue.needsPage(width, open.size) || asked.wasWoken) {
        asked.wasWoken = false;
        const limit = queue.pageLimit(width);
        const page = await control().takePage({ run: input.run, channelId: input.channelId, limit });
        sequence = Math.max(sequence, page.sequence ?? 0);
        if (!page.holds) {
          if (await drained()) return { ended: 'superseded' };
          continue;
        }
        concurrency = page.width ?? concurrency;
        // Between two activities that take all slots, free slots would be wasted.
        if (page.paced === true) wide = false;
        queue.take(page);
        if (queue.length === 0 && open.size === 0) {
          if (page.rows.length === 0 && page.linger !== true) return { ended: 'nothing-left' };
          await waitForNext(page.rows, page.held, page.zone);
          continue;
        }
        queue.noteRest(page, limit);
      }

      const mayStart = () => (unreachable === 0 || probing === 0) && busy < concurrency && nothingStops();
      while (queue.length > 0 && mayStart()) {
        const places = unreachable > 0 || !wide ? 1 : concurrency - busy;
        const group = queue.nextGroup(unreachable > 0 ? 1 : GROUP * places);
        // Few rows go one after another: what the first one meets may keep the others from being sent.
        track(create(group, Math.ceil(group.length / GROUP)));
      }
      if (open.size > 0) await untilFree(queue.length === 0 && nothingStops());
    }
  });

  function nothingStops(): boolean {
    return pauseUntil <= Date.now() && !asked.cancel;
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        broken ??= { error };
      })
      .finally(() => open.delete(tracked));
    open.add(tracked);
  }

  /**
   * Until one of the open creates ends. If a slot is free, a row whose time comes doesn't wait for the end of a long
   * upload.
   */
  async function untilFree(placeFree: boolean): Promise<void> {
    const before = open.size;
    const freed = () => open.size < before || asked.wasWoken || asked.cancel;
    if (placeFree) await condition(freed, Math.max(queue.untilCheck, 1_000), { summary: 'until the next row' });
    else await condition(freed);
    if (broken !== undefined) throw broken.error;
  }

  /** Waits for everything that is open. Returns false if a cancel came, which has to be handled first. */
  async function drained(): Promise<boolean> {
    await condition(() => open.size === 0 || asked.cancel);
    if (broken !== undefined) throw broken.error;
    // It may arrive together with the last end, and a new history would not know of it.
    if (asked.cancel && patched('drained-2026-12')) return false;
    return open.size === 0;
  }

  /**
   * The history is full, or another build became current. A long upload would block all other rows: its end is awaited
   * only if nothing else is left.
   */
  function isHistoryDone(): boolean {
    const { historyLength, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
    if (historyLength > MOST_EVENTS) return true;
    const due = historyLength > MAX_EVENTS || continueAsNewSuggested || targetWorkerDeploymentVersionChanged;
    return uploading === 0 && due;
  }

  async function create(group: PageRow[], places: number): Promise<void> {
    const upload = group[0]?.upload === true;
    const filesHost = group[0]?.filesHost;
    const probe = unreachable > 0;
    const before = unreachable;
    busy += places;
    if (upload) uploading += 1;
    if (probe) probing += 1;
    const activity = creates(groupSummary(group.map((row) => row.label)), {
      taskQueue: upload ? uploadQueue(filesHost) : queues.create,
      upload,
      mayBeUnserved: filesHost !== undefined,
    });
    try {
      const result = await activity.createPublications({
        run: input.run,
        channelId: input.channelId,
        rowIds: group.map((row) => row.id),
        places,
        sequence,
      });
      sequence = Math.max(sequence, result.sequence ?? 0);
      learn(result, before);
      if (places > 1 && result.rows.some(({ tookMs = 0 }) => tookMs > SLOW_CREATE_MS)) wide = false;
    } catch (error) {
      // The activity was lost (a worker died, a time-out): the ledger knows which rows it had claimed.
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a create activity was lost; the ledger settles its rows', { channel: input.label });
      pauseUntil = Math.max(pauseUntil, Date.now() + 1_000);
      queue.expectMore();
    } finally {
      busy -= places;
      if (upload) uploading -= 1;
      if (probe) probing -= 1;
      queue.release(group);
    }
  }

  /** A row that names a host for its file goes to that host's workers. */
  function uploadQueue(filesHost: string | undefined): string {
    return filesHost === undefined ? queues.upload : filesQueue(input.ledgerId, filesHost);
  }

  /**
   * `before`: consecutive creates that hadn't reached the service when this one began. Creates that fail together count
   * once.
   */
  function learn(result: CreatePublicationsResult, before: number): void {
    let asked = 0;
    for (const row of result.rows) asked = Math.max(asked, row.waitMs ?? 0);
    if (result.rows.some((row) => row.result !== 'done')) queue.expectMore();
    if (result.rows.some((row) => row.result === 'unreachable')) {
      unreachable = Math.max(unreachable, before + 1);
      asked = Math.max(asked, Math.min(1_000 * 2 ** Math.min(unreachable, 10), MAX_UNREACHABLE_WAIT_MS));
      queue.reset();
    } else if (result.rows.some((row) => row.result === 'done')) {
      unreachable = 0;
    }
    if (asked > 0) pauseUntil = Math.max(pauseUntil, Date.now() + asked);
  }

  async function waitForNext(rows: readonly PageRow[], held: string | null, zone = 'UTC'): Promise<void> {
    const times = rows.flatMap((row) => (row.readyAt === null ? [] : [Date.parse(row.readyAt)]));
    const soonest =
      held === null && times.length > 0
        ? Math.min(...times)
        : Date.now() + (held === null ? RECHECK_MS : HELD_CHECK_MS);
    const ms = Math.min(Math.max(soonest - Date.now(), 1_000), RECHECK_MS);
    const clock = { zone, now: Date.now() };
    const until = `${localTime(clock.now + ms, clock)} (${zone})`;
    const why = rows[0]?.why === undefined ? '' : `, ${rows[0].why}`;
    const next =
      held !== null
        ? inReaderZone(held, clock, { steady: true })
        : rows.length === 0
          ? 'all its rows are sent'
          : `next at ${until}${why}`;
    show(next);
    // A signal that arrived since the page was requested counts: its change may not be in the page.
    await condition(() => asked.wasWoken || asked.cancel, ms, {
      summary: oneLine(held === null ? `${input.label}: ${next}` : next),
    });
  }

  function show(what: string): void {
    setCurrentDetails(`**${input.label}** · ${what}`);
  }
}

setWorkflowOptions({ failureExceptionTypes: [Error] }, publishChannel);
