import { randomUUID } from 'node:crypto';
import { type Client, type ScheduleSpec } from '@temporalio/client';
import { type CalendarTimes } from '../../../../activities/schedules/schedule-server';
import { UsageError } from '../../../errors/errors';

/** How the server interprets a spec. */
export interface ServerView {
  /** ISO, the next ten at most. */
  next: string[];
  calendars: CalendarTimes[];
}

/**
 * The next firings as the server will compute them, from a paused schedule that is created for this purpose and
 * deleted.
 * @throws UsageError if the server refuses the spec
 */
export async function previewSpec(client: Client, spec: ScheduleSpec): Promise<ServerView> {
  const { calendarsOf } = await import('../../../../temporal/schedule-server.js');
  const id = `preview/${randomUUID()}`;
  let handle;
  try {
    handle = await client.schedule.create({
      scheduleId: id,
      spec,
      action: { type: 'startWorkflow', workflowType: 'nothing', taskQueue: 'nothing' },
      state: { paused: true, note: 'a preview: deleted at once' },
    });
  } catch (error) {
    // The server's own message for a value that is out of range or unknown.
    if (error instanceof TypeError || isInvalid(error)) {
      throw new UsageError(`Temporal refuses the schedule: ${messageOf(error)}`, 'Check its times and its zone.');
    }
    throw error;
  }
  try {
    const { info, raw } = await handle.describe();
    return { next: info.nextActionTimes.map((time) => time.toISOString()), calendars: calendarsOf(raw) };
  } finally {
    await handle.delete();
  }
}

const INVALID_ARGUMENT = 3;

function isInvalid(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return code === INVALID_ARGUMENT || cause?.code === INVALID_ARGUMENT;
}

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && message.startsWith('Failed') ? cause.message : message;
}
