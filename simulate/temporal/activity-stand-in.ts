import { CancelledFailure } from '@temporalio/common';

/** An activity as it runs in a worker. */
export interface RunningActivity {
  info: {
    workflowExecution: { workflowId: string; runId: string };
    heartbeatDetails: unknown;
    currentAttemptScheduledTimestampMs: number;
  };
  cancellationSignal: AbortSignal;
  heartbeat: (details: unknown) => void;
}

/** The activity that the running code belongs to: each step continues with that of the step which requested it. */
export const activities: { current: RunningActivity | undefined } = { current: undefined };

function running(): RunningActivity {
  if (activities.current === undefined) throw new Error('no activity runs');
  return activities.current;
}

/** Replaces `@temporalio/activity`. */
export const ACTIVITY_STAND_IN = {
  CancelledFailure,
  activityInfo: () => running().info,
  heartbeat: (details: unknown) => running().heartbeat(details),
  Context: { current: () => running() },
};
