import { type ScheduleContext } from './context';
import { type RemoteSchedule } from './remote';

/** Pausing and unpausing in the Web UI bypass the ledger: this brings it up to date with Temporal. */
export async function matchPause(
  { ledger, server }: Pick<ScheduleContext, 'ledger' | 'server'>,
  { input, description }: RemoteSchedule,
): Promise<void> {
  const { definition } = input;
  const { firings } = ledger;
  const { paused } = description.state;
  const kept = await firings.schedule(definition.schedule);
  if (kept === null || paused === (kept.pausedAt !== null)) return;
  // The last update may have been something other than the pause: then it was paused later, and no firing came in
  // between.
  const at = description.info.lastUpdatedAt?.getTime() ?? Date.now();
  if (paused) {
    await firings.mark(definition.schedule, { pausedAt: at });
    return;
  }
  const { noteGaps } = await import('../../../activities/schedules/open-firing.js');
  await noteGaps({ ledger, schedules: server }, definition, at);
  await firings.mark(definition.schedule, { pausedAt: null, resumedAt: at });
}
