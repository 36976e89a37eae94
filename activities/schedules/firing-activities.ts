import { activityInfo } from '@temporalio/activity';
import { type ActivityContext } from '../context';
import { type FiringActivities } from './contract';
import { awaitRun, endFiring } from './end-firing';
import { openFiring, type FiringDeps } from './open-firing';
import { submitFiring } from './submit-firing';

type Beat = (details: unknown) => void;

/** The activities of one firing, with the context that every activity has of its execution. */
export function firingActivities(
  deps: FiringDeps,
  frame: {
    beating: <T>(work: (beat: Beat) => Promise<T>) => Promise<T>;
    contextOf: (beat: Beat, stopping: AbortSignal) => ActivityContext;
  },
): FiringActivities {
  return {
    openFiring: (input) =>
      frame.beating(async () => {
        const { workflowExecution, currentAttemptScheduledTimestampMs: scheduledAt } = activityInfo();
        if (workflowExecution === undefined) throw new Error('openFiring runs in a workflow only');
        return openFiring(deps, { ...input, workflowId: workflowExecution.workflowId, scheduledAt });
      }),
    submitFiring: (input) => frame.beating(() => submitFiring(deps, input)),
    awaitRun: (input) => frame.beating((beat) => awaitRun(deps, input, frame.contextOf(beat, deps.stopping))),
    endFiring: (input) => frame.beating(() => endFiring(deps, input)),
  };
}
