import { type ActivityContext } from '../context';
import { type ActivityDeps } from '../deps';
import { type RowState } from '../../ledger/model/states';
import { type AwaitedRun, type AwaitRunInput, type EndFiringInput, type ScheduleDefinition } from './contract';
import { type NoticeBrief } from '../notices/contract';
import { refusedNotice } from '../notices/find-notices';
import { type FiringDeps } from './open-firing';

/** How often the ledger is checked for the end of a run, ms. */
const POLL_MS = 1_000;

/** Checks the ledger until the run has ended; if a later run replaced it, waits for that one instead. */
export async function awaitRun(
  deps: ActivityDeps,
  input: AwaitRunInput,
  context: ActivityContext,
): Promise<AwaitedRun> {
  const until = deps.now() + input.budgetMs;
  const name = `${input.run.campaign}.${input.run.number}`;
  while (true) {
    if (context.cancelled.aborted && !context.shuttingDown()) throw context.cancelled.reason;
    const found = await deps.ledger.findRun(input.run);
    const info = found?.closedAs === 'superseded' ? await deps.ledger.newestRun(input.run.campaign) : found;
    if (info === null || !info.open) {
      const counts = info === null ? {} : await deps.ledger.workedRows(info);
      const gates = info === null ? [] : await deps.ledger.gates(info);
      const stopped = (info !== null && info.cancelled !== null) || gates.some(({ kind }) => kind === 'stopped');
      const bad = BAD_ENDS.some((state) => (counts[state] ?? 0) > 0);
      return { ended: stopped ? 'stopped' : bad ? 'incomplete' : 'done', counts };
    }
    if (deps.now() >= until || context.shuttingDown()) return { ended: null, counts: {} };
    context.heartbeat({ waitingFor: name });
    await context.pause(POLL_MS);
  }
}

/** Rows that ended in these states are not published as the manifest says, or it isn't known whether they are. */
const BAD_ENDS = ['failed', 'rejected', 'unconfirmed', 'overdue'] as const satisfies readonly RowState[];

const BAD: readonly string[] = ['refused', 'stopped', 'failed'];

/** Records the end. If the newest firings all ended badly, the schedule is paused with the reason. */
export async function endFiring(deps: FiringDeps, input: EndFiringInput): Promise<{ notices: NoticeBrief[] }> {
  const { definition, firing, outcome, code, reason } = input;
  const { startedAt } = await deps.ledger.firings.end(firing, { outcome, code, reason });
  await pauseIfBad(deps, definition, Date.parse(startedAt));
  const notice = await refusedNotice(deps, firing);
  return { notices: notice === null ? [] : [notice] };
}

async function pauseIfBad(
  deps: FiringDeps,
  { schedule, pauseAfter }: ScheduleDefinition,
  startedAt: number,
): Promise<void> {
  if (pauseAfter === 0) return;
  const { firings } = deps.ledger;
  const kept = await firings.schedule(schedule);
  if (kept === null) return;
  let from = Math.max(kept.madeAt, kept.resumedAt ?? 0);
  if (kept.pausedAt !== null) {
    if ((await deps.schedules.paused(schedule)) !== false) return;
    // Unpaused in the Web UI: the count starts again.
    from = startedAt;
    await firings.mark(schedule, { pausedAt: null, resumedAt: from });
  }
  const newest = await firings.ended(schedule, pauseAfter, from);
  if (newest.length < pauseAfter || !newest.every((one) => BAD.includes(one.outcome))) return;
  const [last] = newest;
  const many = pauseAfter === 1 ? 'the firing was' : `${pauseAfter} consecutive firings were`;
  const note = `paused: ${many} refused or stopped; the last one (${last?.key ?? ''}): ${last?.reason ?? ''}`;
  await deps.schedules.pause(schedule, note);
  await firings.mark(schedule, { pausedAt: deps.now() });
}
