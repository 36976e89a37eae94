import { CancelledFailure } from '@temporalio/common';

/** An activity as it runs in a worker. */
export interface RunningActivity {
  info: { workflowExecution: { workflowId: string; runId: string }; heartbeatDetails: unknown };
  cancellationSignal: AbortSignal;
  heartbeat: (details: unknown) => void;
}

/** The activity that the code being run belongs to: each step goes on with that of the step which asked for it. */
export const activities: { current: RunningActivity | undefined } = { current: undefined };

function running(): RunningActivity {
  if (activities.current === undefined) throw new Error('no activity runs');
  return activities.current;
}

/** In place of `@temporalio/activity`. */
export const ACTIVITY_STAND_IN = {
  CancelledFailure,
  activityInfo: () => running().info,
  heartbeat: (details: unknown) => running().heartbeat(details),
  Context: { current: () => running() },
};
