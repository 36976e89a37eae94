import {
  type Client,
  type ScheduleDescription,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
} from '@temporalio/client';
import { type ScheduleDefinition } from '../../../activities/schedules/contract';
import { type Ledger } from '../../../ledger/ledger';
import { type ScheduleTiming, timingText } from '../../../manifests/settings/schedule-timing';
import { firingWorkflowId, scheduleId, taskQueues } from '../../../workflows/ids';
import { ExitError } from '../../errors/errors';
import { EXIT } from '../../errors/exit-codes';
import { type ScheduleContext } from './context';
import { policiesOf, specOf } from './definition/spec';

/** The argument of a schedule's action: what a firing does, and the timing as it was written. */
export interface ScheduledInput {
  definition: ScheduleDefinition;
  ledgerId: string;
  timing: ScheduleTiming;
  /** The manifest itself set this when the schedule was last created or updated. */
  inManifest?: boolean;
}

export interface RemoteSchedule {
  input: ScheduledInput;
  /** The number in its firings' workflow ids. */
  revision: number;
  description: ScheduleDescription;
}

/** The schedule in Temporal. @throws ExitError if this ledger has none of that name */
export async function readRemote(client: Client, ledger: Ledger, name: string): Promise<RemoteSchedule> {
  const found = await findRemote(client, name);
  if (found === null) {
    throw new ExitError('no-schedule', `there is no schedule “${name}”`, EXIT.usage, 'See `reelay schedule list`.');
  }
  if (found.input.ledgerId !== ledger.id) {
    const message = `the schedule “${name}” belongs to another ledger (${found.input.ledgerId})`;
    throw new ExitError('other-ledger', message, EXIT.usage, 'Use that ledger’s home, or another name.');
  }
  return found;
}

/** In the ledger, but no longer in Temporal: deleted there, or its database was lost. */
export async function isGone({ temporal, ledger }: Pick<ScheduleContext, 'temporal' | 'ledger'>, name: string) {
  return (await findRemote(temporal.client, name)) === null && (await ledger.firings.schedule(name)) !== null;
}

export async function findRemote(client: Client, name: string): Promise<RemoteSchedule | null> {
  try {
    const description = await client.schedule.getHandle(scheduleId(name)).describe();
    const { action } = description;
    const [input] = (action.args ?? []) as [ScheduledInput];
    return { input, revision: Number(/\/(\d+)$/.exec(action.workflowId)?.[1] ?? 1), description };
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

export async function createRemote(
  client: Client,
  ledger: Ledger,
  input: ScheduledInput,
  options: { paused: boolean; by: string },
): Promise<void> {
  const { definition } = input;
  const name = definition.schedule;
  const had = await ledger.firings.schedule(name);
  await ledger.firings.keep(name, options.by);
  try {
    await client.schedule.create({
      ...describedBy(input, 1),
      scheduleId: scheduleId(name),
      state: { paused: options.paused, note: options.paused ? 'created paused' : `created by ${options.by}` },
      memo: { ledger: ledger.id },
    });
    if (options.paused) await ledger.firings.mark(name, { pausedAt: Date.now() });
  } catch (error) {
    if (had === null) await ledger.firings.mark(name, { deletedAt: Date.now() });
    if (error instanceof ScheduleAlreadyRunning) {
      const message = `the schedule “${name}” already exists`;
      throw new ExitError('schedule-exists', message, EXIT.usage, `Change it: \`reelay schedule update ${name} …\`.`);
    }
    throw error;
  }
}

/** Replaces what the schedule does and when; whether it is paused stays the same. */
export async function updateRemote(client: Client, input: ScheduledInput, revision: number): Promise<void> {
  await client.schedule.getHandle(scheduleId(input.definition.schedule)).update((before) => ({
    ...describedBy(input, revision),
    state: before.state,
  }));
}

function describedBy(input: ScheduledInput, revision: number): Pick<ScheduleOptions, 'spec' | 'action' | 'policies'> {
  const { definition, timing, ledgerId } = input;
  const { schedule, zone } = definition;
  return {
    spec: specOf(timing, zone),
    action: {
      type: 'startWorkflow',
      workflowType: 'scheduledBatch',
      workflowId: firingWorkflowId(schedule, revision),
      taskQueue: taskQueues(ledgerId).main,
      args: [input],
      staticSummary: `schedule ${schedule} · ${timingText(timing)} · ${zone}`.slice(0, 150),
    },
    policies: policiesOf(definition),
  };
}
