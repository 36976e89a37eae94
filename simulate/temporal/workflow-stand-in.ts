import { ActivityFailure, ApplicationFailure, CancelledFailure, ChildWorkflowFailure } from '@temporalio/common';
import { type ChildOptions, ContinueAsNew, type Execution } from './execution';

/** The workflow whose step is running; workflows run only in steps of their own. */
export const workflows: { current: () => Execution } = {
  current: () => {
    throw new Error('no workflow runs');
  },
};

const NOTHING = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Replaces `@temporalio/workflow`: the parts that our workflows use, for the execution whose step is running. */
export const WORKFLOW_STAND_IN = {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  isCancellation: (error: unknown) =>
    error instanceof CancelledFailure || (error instanceof ActivityFailure && error.cause instanceof CancelledFailure),
  log: NOTHING,
  patched: () => true,
  setCurrentDetails: () => undefined,
  setWorkflowOptions: () => undefined,
  upsertSearchAttributes: () => undefined,
  defineSignal: (name: string) => ({ type: 'signal', name }),
  setHandler: ({ name }: { name: string }, handler: () => void) => workflows.current().handle(name, handler),
  condition: (isTrue: () => boolean, ms?: number) => workflows.current().condition(isTrue, ms),
  sleep: (ms: number) => workflows.current().condition(() => false, ms),
  continueAsNew: (input: unknown) => {
    throw new ContinueAsNew(input);
  },
  workflowInfo: () => workflows.current().info(),
  proxyActivities: (options: object) =>
    new Proxy({}, { get: (_, name) => (input: unknown) => workflows.current().activity(String(name), input, options) }),
  startChild: (
    workflow: (input: unknown) => Promise<unknown>,
    { workflowId, args, ...options }: { workflowId: string; args: [unknown] } & ChildOptions,
  ) => workflows.current().startChild(workflow, workflowId, args[0], options),
  CancellationScope: {
    current: () => ({ cancelRequested: workflows.current().cancelRequested }),
    nonCancellable: <T>(work: () => Promise<T>) => workflows.current().shielded(work),
  },
};
