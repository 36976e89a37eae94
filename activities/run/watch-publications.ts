import { troubleText } from '../../wording/account-trouble';
import { type ActivityContext } from '../context';
import { type ShownProblem, type WatchInput, type WatchResult } from '../contract';
import { changeDrafts } from '../publish/drafts/change-drafts';
import { deleteLeftDrafts } from '../publish/drafts/delete-replaced';
import { type ActivityDeps } from '../deps';
import { type ChannelWork, type Counts } from '../../ledger/model/types';
import { PublicationPoller } from '../follow/publication-poller';
import { ListReads } from '../follow/list-reads';
import { type SharedPages } from '../follow/shared-pages';
import { AttemptReconciler } from '../reconcile/attempt-reconciler';
import { readerZone, toBrief } from './run-activities';
import { parkedGates, parkedNotices } from '../notices/find-notices';
import { probeParked } from './probe-parked';
import { type Spool } from '../publish/spool/spool';

/** The longest pause between two rounds: new publications, cancels and lost attempts are noticed within this time. */
const MAX_PAUSE_MS = 2_000;
const MIN_PAUSE_MS = 100;

/**
 * One activity per run: follows every publication in flight, settles lost creates, and returns the run's state in
 * absolute numbers when all have ended or its time is up. It stores nothing that the ledger doesn't have, so a retry
 * continues where the lost attempt was.
 */
export async function watchPublications(
  deps: ActivityDeps & { spool: Spool; pages: SharedPages },
  input: WatchInput,
  context: ActivityContext,
): Promise<WatchResult> {
  const reads = new ListReads(deps.clock);
  const poller = new PublicationPoller(deps, reads, deps.pages);
  const reconciler = new AttemptReconciler(deps, reads);
  const started = deps.now();
  let notes: string[] = [];
  const repeated = new Set<string>();
  const readyBefore = readyChannels(await deps.ledger.channels(input.run));
  let parked = input.parked ?? [];
  const resultWith = async (notes: string[]): Promise<WatchResult> => ({
    ...(await report(deps, input, notes, true)),
    ...(parked.length > 0 ? { parked } : {}),
  });
  await deleteLeftDrafts(deps, input.run);
  let pendingDrafts = await deps.ledger.pendingDrafts(input.run);
  let draftsAt = started;
  let sequence = input.sequence ?? 0;
  const beat = () => context.heartbeat({ following: `${input.run.campaign}.${input.run.number}`, sequence });

  while (true) {
    // A copy may be restored at any time, even while a worker runs.
    sequence = Math.max(sequence, await deps.ledger.holdIfBehind(sequence));
    beat();
    // The run was terminated or the activity timed out: the result is no longer awaited.
    if (context.cancelled.aborted && !context.shuttingDown()) throw context.cancelled.reason;
    await deps.spool.drainInto(deps.ledger, deps.log);
    const info = await deps.ledger.findRun(input.run);
    const holds = info !== null && (await deps.ledger.holds(input.run));
    if (!holds) return report(deps, input, notes, false);

    await deps.ledger.cancelGated(input.run);
    if (pendingDrafts > 0 && deps.now() >= draftsAt) {
      await changeDrafts(deps, input.run, context);
      pendingDrafts = await deps.ledger.pendingDrafts(input.run);
      draftsAt = deps.now() + deps.timings.lookGapMs;
    }
    const settled = await reconciler.settle(input.run, info, { signal: context.cancelled, onPage: beat });
    for (const channelId of settled.repeated) repeated.add(channelId);
    const followed = await poller.follow(input.run, { signal: context.cancelled, onRead: beat });
    notes = [...new Set([...settled.notes, ...followed.notes])];
    const opened = await probeParked(deps, input.run, context.cancelled);
    const gates = await parkedGates(deps.ledger, input.run);
    const before = parked;
    parked = gates.map(({ scope }) => scope);
    // What isn't parked any more was opened by a probe of this run or of another, by `resume`, or by a new submit.
    if (opened.length > 0 || before.some((scope) => !parked.includes(scope)))
      return { ...(await resultWith([...opened, ...notes])), hurry: true };

    const notices = await parkedNotices(deps, input.run, input.told, gates);
    if (notices.length > 0) return { ...waking(await resultWith(notes), repeated), notices };

    const lasted = deps.now() - started;
    const done = pendingDrafts === 0 && !(await deps.ledger.hasOpenRows(input.run));
    if (done) await deleteLeftDrafts(deps, input.run);
    if (lasted >= input.budgetMs) {
      for (const [id, open] of readyChannels(await deps.ledger.channels(input.run)))
        if (readyBefore.get(id) === open) repeated.add(id);
    }
    if (done || lasted >= input.budgetMs || context.shuttingDown()) return waking(await resultWith(notes), repeated);
    const isFirst = input.firstProblem === true && lasted >= input.atLeastMs && (await hasProblem(deps, input));
    if (isFirst) return waking(await resultWith(notes), repeated);
    // Rows that returned to planned need their channel, which may have ended (the workflow starts it again) or be
    // waiting.
    if (repeated.size > 0 && lasted >= input.atLeastMs) return waking(await resultWith(notes), repeated);
    // Nothing to follow until some row's time comes: a timer of the workflow is better for waiting than an activity.
    if (followed.inFlight === 0 && settled.left === 0 && pendingDrafts === 0 && lasted >= input.atLeastMs) {
      const idle = await resultWith(notes);
      if (idle.idleUntil !== null) return idle;
    }

    const next = Math.min(settled.nextAt ?? Infinity, followed.nextAt ?? Infinity) - deps.now();
    await context.pause(Math.max(Math.min(next, MAX_PAUSE_MS), MIN_PAUSE_MS));
  }
}

/**
 * Channels that could send a row now and send none, with their open rows. One that is still the same after a whole watch
 * didn't learn of a row: an attempt that its workflow had given up returned it after the channel's last look.
 */
function readyChannels(channels: readonly ChannelWork[]): Map<string, number> {
  const ready = channels.filter(
    ({ held, sending, nextReadyAt }) => held === null && sending === 0 && nextReadyAt === null,
  );
  return new Map(ready.map(({ id, open }) => [id, open]));
}

/** Wakes the channels of rows that are to be created. */
function waking(result: WatchResult, channelIds: ReadonlySet<string>): WatchResult {
  const wake = result.channels.flatMap(({ id }) => (channelIds.has(id) ? [id] : []));
  return wake.length > 0 ? { ...result, wake } : result;
}

async function report(deps: ActivityDeps, input: WatchInput, notes: string[], holds: boolean): Promise<WatchResult> {
  const channels = await deps.ledger.channels(input.run);
  const counts = await deps.ledger.counts(input.run);
  const givenUp = (counts.cancelled ?? 0) > 0 ? await deps.ledger.givenUp(input.run) : 0;
  const unchanged = (counts.drafted ?? 0) > 0 ? await deps.ledger.unchangedDrafts(input.run) : 0;
  const differing = (counts.published ?? 0) > 0 ? await deps.ledger.differing(input.run) : 0;
  const cancelled = (await deps.ledger.gates(input.run)).some(
    ({ kind, scope }) => kind === 'cancelled' && !scope.includes('channel:'),
  );
  const given = await deps.ledger.sheetFlags(input.run.campaign);
  return {
    counts,
    sequence: await deps.ledger.sequence(),
    zone: await readerZone(deps, input.run),
    ...(givenUp > 0 ? { givenUp } : {}),
    ...(unchanged > 0 ? { unchanged } : {}),
    ...(differing > 0 ? { differing } : {}),
    idleUntil: idleUntil(channels, counts, deps.now()),
    open: (await deps.ledger.openRows(input.run)) + (await deps.ledger.pendingDrafts(input.run)),
    channels: channels.map(toBrief),
    notes: [...(await unusableAccounts(deps, input)), ...notes].slice(0, 20),
    problems: await shownProblems(deps, input, counts, unchanged + differing),
    holds,
    ...(cancelled ? { cancelled } : {}),
    ...(given.length > 0 ? { given: [...given] } : {}),
  };
}

/** Accounts of the run that a worker can't use: their rows wait, whatever else the run does. */
async function unusableAccounts(deps: ActivityDeps, { run }: WatchInput): Promise<string[]> {
  const troubles = await deps.ledger.accountTroubles(run);
  return troubles.filter(({ kind }) => kind === 'unusable').map((trouble) => troubleText(trouble, true));
}

async function hasProblem(deps: ActivityDeps, { run }: WatchInput): Promise<boolean> {
  const counts = await deps.ledger.counts(run);
  return WRONG.some((state) => (counts[state] ?? 0) > 0);
}

const WRONG = ['failed', 'rejected', 'unconfirmed', 'overdue'] as const;
const PROBLEMS_SHOWN = 10;
const WHY_MAX = 200;

async function shownProblems(
  deps: ActivityDeps,
  { run }: WatchInput,
  counts: Counts,
  endedOtherwise: number,
): Promise<ShownProblem[]> {
  const some = WRONG.some((state) => (counts[state] ?? 0) > 0);
  if (!some && endedOtherwise === 0) return [];
  return (await deps.ledger.problemRows(run, PROBLEMS_SHOWN)).map(({ label, channel, state, code, message }) => ({
    row: label,
    channel,
    state,
    why: [code, message]
      .filter((part) => part !== null)
      .join(': ')
      .slice(0, WHY_MAX),
  }));
}

/** Shorter waits are not worth another round. */
const WORTH_WAITING_MS = 10_000;

function idleUntil(channels: readonly ChannelWork[], counts: Counts, now: number): string | null {
  if ((counts.creating ?? 0) + (counts.processing ?? 0) > 0) return null;
  // What is parked is probed from here.
  if (channels.some((channel) => channel.held?.kind === 'parked')) return null;
  const times = channels.map((channel) => (channel.nextReadyAt === null ? now : Date.parse(channel.nextReadyAt)));
  const soonest = times.length === 0 ? now : times.reduce((a, b) => Math.min(a, b));
  return soonest - now > WORTH_WAITING_MS ? new Date(soonest).toISOString() : null;
}
