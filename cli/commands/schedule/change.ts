import { scheduleId } from '../../../workflows/ids';
import { confirm } from '../../terminal/ask';
import { UsageError } from '../../errors/errors';
import { plural, thousands } from '../../terminal/safe-text';
import { type ScheduleContext } from './context';
import { matchPause } from './pause-state';
import { isGone, readRemote, type ScheduledInput, updateRemote } from './remote';
import { timeFlag } from './definition/times';

export async function pauseSchedule(context: ScheduleContext, name: string): Promise<void> {
  const { ledger, temporal, flags, by } = context;
  const remote = await readRemote(temporal.client, ledger, name);
  await matchPause(context, remote);
  await temporal.client.schedule.getHandle(scheduleId(name)).pause(flags.note ?? `paused by ${by}`);
  if (!remote.description.state.paused) await ledger.firings.mark(name, { pausedAt: Date.now() });
  await say(context, name, 'paused', 'A run that has already started continues.');
}

export async function unpauseSchedule(context: ScheduleContext, name: string): Promise<void> {
  const { ledger, temporal, server, flags, by } = context;
  const remote = await readRemote(temporal.client, ledger, name);
  const { input } = remote;
  await matchPause(context, remote);
  // Firings that the pause prevented are recorded before the schedule counts as active again.
  const { noteGaps } = await import('../../../activities/schedules/open-firing.js');
  if ((await ledger.firings.schedule(name))?.pausedAt) {
    await noteGaps({ ledger, schedules: server }, input.definition, Date.now());
  }
  await temporal.client.schedule.getHandle(scheduleId(name)).unpause(flags.note ?? `unpaused by ${by}`);
  await ledger.firings.mark(name, { pausedAt: null, resumedAt: Date.now() });
  await say(context, name, 'unpaused', 'Firings missed meanwhile are not repeated; use `backfill` for them.');
}

/** Fires now; it joins a run that is open. */
export async function triggerSchedule(context: ScheduleContext, name: string): Promise<void> {
  const { ledger, temporal } = context;
  const { paused } = (await readRemote(temporal.client, ledger, name)).description.state;
  const { ScheduleOverlapPolicy } = await import('@temporalio/client');
  await temporal.client.schedule.getHandle(scheduleId(name)).trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  const still = paused
    ? `It is paused: this firing runs anyway; its regular times are skipped until \`reelay schedule unpause ${name}\`. `
    : '';
  await say(context, name, 'triggered', `${still}\`reelay schedule show ${name}\` shows the result.`, { paused });
}

/** The server neither lists more at once nor queues more. */
const BACKFILL_BELOW = 1_000;

/** Backfills a period: every nominal time in it that has not fired, one after another. */
export async function backfillSchedule(context: ScheduleContext, name: string): Promise<void> {
  const { output, ledger, temporal, server, flags, by } = context;
  if (flags.from === undefined)
    throw new UsageError('--from is missing', 'For example --from 2026-11-01 --to 2026-11-03.');
  const { input, revision } = await readRemote(temporal.client, ledger, name);
  const { zone } = input.definition;
  const now = Date.now();
  const from = timeFlag('--from', flags.from, zone);
  const to = Math.min(flags.to === undefined ? now : timeFlag('--to', flags.to, zone, 'end'), now);
  if (to < from) throw new UsageError('--from is later than --to, or in the future');
  const times = (await server.matchingTimes(name, from - 1, to)) ?? [];
  if (times.length >= BACKFILL_BELOW) {
    throw new UsageError(
      `from ${new Date(from).toISOString()} to ${new Date(to).toISOString()} there are ${thousands(BACKFILL_BELOW)} firings or more`,
      'Backfill a shorter period at a time.',
    );
  }
  await noteSkippedTimes(context, input, { from: from - 1, to });
  const what = `${plural(times.length, 'firing')} of ${name}`;
  if (times.length === 0) {
    await say(context, name, 'unchanged', 'No firing falls within that period.', { firings: 0 });
    return;
  }
  await confirm({ output, yes: flags.yes ?? false, question: `Backfill ${what}?` });
  await ledger.firings.addBackfill({ schedule: name, from, to, by });
  // The server would not start a workflow id that it has already seen; the ledger keeps a firing from happening twice.
  await updateRemote(temporal.client, input, revision + 1);
  const { ScheduleOverlapPolicy } = await import('@temporalio/client');
  await temporal.client.schedule.getHandle(scheduleId(name)).backfill({
    start: new Date(from - 1_000),
    end: new Date(to),
    overlap: ScheduleOverlapPolicy.BUFFER_ALL,
  });
  await say(context, name, 'backfilling', `${what}, one after the other; those that fired already are skipped.`, {
    firings: times.length,
  });
}

/** Days in that period on which the clocks skip the schedule's time: they can't be backfilled, and this is reported. */
async function noteSkippedTimes(
  { ledger, server }: ScheduleContext,
  { definition }: ScheduledInput,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const calendars = await server.calendars(definition.schedule);
  if (definition.keyed === 'utc' || calendars === null) return;
  const { skippedNotes } = await import('../../../activities/schedules/open-firing.js');
  await ledger.firings.note(definition.schedule, skippedNotes(definition, calendars, from, to));
}

export async function deleteSchedule(context: ScheduleContext, name: string): Promise<void> {
  const { output, ledger, temporal, flags } = context;
  // A schedule that no longer exists in Temporal is still known to the ledger.
  const gone = await isGone(context, name);
  if (!gone) await readRemote(temporal.client, ledger, name);
  await confirm({ output, yes: flags.yes ?? false, question: `Delete the schedule ${name}?` });
  if (!gone) await temporal.client.schedule.getHandle(scheduleId(name)).delete();
  await ledger.firings.mark(name, { deletedAt: Date.now() });
  await say(context, name, 'deleted', 'What it published stays in the ledger; a run that has started continues.');
}

async function say(
  { output, settings }: ScheduleContext,
  schedule: string,
  did: string,
  more: string,
  also: object = {},
): Promise<void> {
  if (!output.isText) await output.json({ version: 1, schedule, did, ...also });
  output.note(`${settings.sandbox ? 'SANDBOX ' : ''}Schedule ${output.paint('bold', schedule)} ${did}. ${more}`);
}
