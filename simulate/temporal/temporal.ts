import { ActivityFailure, ApplicationFailure, CancelledFailure, ChildWorkflowFailure } from '@temporalio/common';
import { type Owner, type Scheduler } from '../clock/scheduler';
import { BEGINNING } from '../clock/virtual-time';
import { type ChildOptions, Execution, type StartOptions, type Workflow } from './execution';
import { workflows } from './workflow-stand-in';
import { type RunningActivity } from './activity-stand-in';

/** A worker's process as the server sees it. */
export interface Poller extends Owner {
  /** Whether it polls for work. */
  polls(): boolean;
  /** Runs an activity in its own step. */
  perform(name: string, input: unknown, activity: RunningActivity): Promise<unknown>;
}

interface Task {
  execution: Execution;
  name: string;
  input: unknown;
  heartbeatMs: number;
  attempts: number;
  attempt: number;
  /** When its current attempt was scheduled, by the virtual clock; null until it is. */
  scheduledMs: number | null;
  details: unknown;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** Activities send a heartbeat every 5 s; without one for this long they are lost. */
const HEARTBEAT_MS = 12_000;

/** One attempt of a task in a worker. */
interface Try {
  task: Task;
  /** The server no longer waits for it. */
  over: boolean;
  heardAt: number;
  abort: AbortController;
}

/**
 * Replaces a Temporal server: workflows by id, signals, activities at least once. A worker that is silent for the
 * heartbeat time-out loses its activity, which may keep running anyway; a reported result may get lost on the way.
 */
export class Temporal implements Owner {
  readonly name = 'temporal';
  alive = true;
  frozenUntil = 0;
  private readonly executions = new Map<string, Execution>();
  /** Every id that a workflow ever had. */
  private readonly used = new Set<string>();
  private readonly pollers: Poller[] = [];
  private queue: Task[] = [];
  private runs = 0;

  constructor(
    readonly scheduler: Scheduler,
    /** Share of ended activities whose result never arrives. */
    private readonly lostEnds: () => number,
  ) {
    workflows.current = () => {
      const { current } = scheduler;
      if (current instanceof Execution) return current;
      throw new Error(`no workflow's step is taken, but ${current?.name ?? 'nobody'}'s`);
    };
  }

  /** Nothing runs, but for what `isIgnored`. */
  isIdle(isIgnored: (workflowId: string) => boolean = () => false): boolean {
    return [...this.executions.keys()].every(isIgnored);
  }

  isRunning(workflowId: string): boolean {
    return this.executions.has(workflowId);
  }

  step(execution: Execution, what: string | null, go: () => void): void {
    this.scheduler.add(execution, this.scheduler.moment(), what, go);
  }

  connect(poller: Poller): void {
    this.pollers.push(poller);
    this.wake();
  }

  /** Checks waiting tasks again: a worker polls (again). */
  wake(): void {
    const waiting = this.queue;
    this.queue = [];
    for (const task of waiting) this.dispatch(task);
  }

  /** Starts the workflow, or signals the running one. */
  signalWithStart(workflow: Workflow, workflowId: string, input: unknown, signal: string): void {
    const running = this.executions.get(workflowId);
    if (running === undefined) this.start(workflow, workflowId, input);
    this.signal(workflowId, signal);
  }

  signal(workflowId: string, name: string): void {
    const running = this.executions.get(workflowId);
    if (running !== undefined) this.step(running, `signal ${name}`, () => running.signal(name));
  }

  cancel(workflowId: string): void {
    const running = this.executions.get(workflowId);
    if (running !== undefined) this.step(running, 'cancelled in the Web UI', () => running.cancel());
  }

  /** Ends it and its children at once; its activities learn of it with their next heartbeat. */
  terminate(workflowId: string): void {
    this.executions.get(workflowId)?.end(new Error('terminated'));
  }

  start(workflow: Workflow, workflowId: string, input: unknown, options: StartOptions = {}): Execution {
    const execution = new Execution(this, workflow, workflowId, `run-${(this.runs += 1)}`, options);
    this.used.add(workflowId);
    this.executions.set(workflowId, execution);
    this.step(execution, 'starts', () => execution.begin(input));
    return execution;
  }

  ended(execution: Execution, failure: Error | null): void {
    this.executions.delete(execution.workflowId);
    this.scheduler.note(execution, failure === null ? 'ends' : `ends: ${failure.message}`);
    for (const child of [...this.executions.values()])
      if (child.options.parent === execution && !child.isAbandoned) child.end(new Error('terminated with its parent'));
    for (const tell of execution.ended) tell(failure);
  }

  startChild(parent: Execution, workflow: Workflow, workflowId: string, input: unknown, options: ChildOptions) {
    return new Promise<{ result: () => Promise<void> }>((resolve, reject) => {
      this.scheduler.add(this, this.scheduler.moment(), null, () => {
        // The server starts no child of what has ended.
        if (this.executions.get(parent.workflowId) !== parent) return;
        const isOnce = options.workflowIdReusePolicy === 'REJECT_DUPLICATE';
        if (this.executions.has(workflowId) || (isOnce && this.used.has(workflowId))) {
          this.step(parent, null, () => reject(new Error(`${workflowId} runs already`)));
          return;
        }
        const child = this.start(workflow, workflowId, clone(input), { ...options, parent });
        const result = new Promise<void>((done, failed) => {
          child.ended.push((failure) =>
            this.step(parent, `its child ${workflowId} has ended`, () =>
              failure === null ? done() : failed(childFailure(workflowId, failure)),
            ),
          );
        });
        result.catch(() => undefined);
        this.step(parent, null, () => resolve({ result: () => result }));
      });
    });
  }

  schedule(execution: Execution, name: string, input: unknown, options: object): Promise<unknown> {
    const { retry } = options as { retry?: { maximumAttempts?: number } };
    return new Promise((resolve, reject) => {
      const task: Task = {
        execution,
        name,
        input,
        heartbeatMs: HEARTBEAT_MS,
        attempts: retry?.maximumAttempts ?? Infinity,
        attempt: 0,
        scheduledMs: null,
        details: undefined,
        resolve: (result) => this.step(execution, null, () => resolve(clone(result))),
        reject: (error) => this.step(execution, `${name} is lost`, () => reject(error)),
      };
      this.scheduler.add(this, this.scheduler.moment(), null, () => this.dispatch(task));
    });
  }

  private dispatch(task: Task): void {
    if (!task.execution.alive) return;
    task.scheduledMs ??= Math.floor(this.scheduler.now);
    const free = this.pollers.filter((poller) => poller.alive && poller.polls());
    const [first, ...others] = free;
    if (first === undefined) {
      this.queue.push(task);
      return;
    }
    this.perform(task, this.scheduler.random.pick([first, ...others]));
  }

  private perform(task: Task, poller: Poller): void {
    task.attempt += 1;
    const scheduledMs = task.scheduledMs ?? Math.floor(this.scheduler.now);
    task.scheduledMs = null;
    const one: Try = { task, over: false, heardAt: this.scheduler.now, abort: new AbortController() };
    const { workflowId, runId } = task.execution;
    const activity: RunningActivity = {
      info: {
        workflowExecution: { workflowId, runId },
        heartbeatDetails: task.details,
        currentAttemptScheduledTimestampMs: BEGINNING + scheduledMs,
      },
      cancellationSignal: one.abort.signal,
      heartbeat: (details) => this.hear(one, poller, details),
    };
    this.scheduler.add(poller, this.scheduler.moment(), `${task.name}${about(task.input)}`, () => {
      poller.perform(task.name, clone(task.input), activity).then(
        (result) => this.report(one, null, result),
        (error: unknown) => this.report(one, error as Error, undefined),
      );
    });
    this.listen(one);
  }

  private hear(one: Try, poller: Poller, details: unknown): void {
    one.heardAt = this.scheduler.now;
    one.task.details = details ?? one.task.details;
    if (!one.over && one.task.execution.alive) return;
    this.scheduler.add(poller, this.scheduler.moment(), null, () =>
      one.abort.abort(new CancelledFailure('the activity is not waited for any more')),
    );
  }

  /** Gives up an attempt that sent no heartbeat for its time-out. */
  private listen(one: Try): void {
    const dueIn = one.heardAt + one.task.heartbeatMs - this.scheduler.now;
    this.scheduler.add(this, dueIn, null, () => {
      if (one.over || !one.task.execution.alive) return;
      if (this.scheduler.now - one.heardAt < one.task.heartbeatMs) this.listen(one);
      else this.fail(one, new Error('heartbeat timed out'));
    });
  }

  private report(one: Try, error: Error | null, result: unknown): void {
    if (this.scheduler.random.chance(this.lostEnds())) return;
    this.scheduler.add(this, this.scheduler.moment(), null, () => {
      if (one.over || !one.task.execution.alive) return;
      if (error !== null) {
        this.fail(one, error);
        return;
      }
      one.over = true;
      one.task.resolve(result);
    });
  }

  private fail(one: Try, error: Error): void {
    one.over = true;
    const { task } = one;
    this.scheduler.note(this, `${task.name}${about(task.input)} failed: ${error.message}`);
    if (task.attempt >= task.attempts) task.reject(activityFailure(task.name, error));
    else this.scheduler.add(this, Math.min(1_000 * 2 ** task.attempt, 30_000), null, () => this.dispatch(task));
  }
}

function about(input: unknown): string {
  const { run, rowIds, channelId } = input as { run?: object; rowIds?: number[]; channelId?: string };
  const named = run as { campaign: string; number: number } | undefined;
  const parts = [
    ...(named === undefined ? [] : [`${named.campaign}.${named.number}`]),
    ...(channelId === undefined ? [] : [channelId]),
    ...(rowIds === undefined ? [] : [`rows ${rowIds.join(',')}`]),
  ];
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`;
}

/** As a payload: a worker and the server share no objects. */
function clone(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function activityFailure(name: string, cause: Error): ActivityFailure {
  const inner = ApplicationFailure.retryable(cause.message);
  return new ActivityFailure('Activity task failed', name, '1', 'MAXIMUM_ATTEMPTS_REACHED', 'worker', inner);
}

function childFailure(workflowId: string, cause: Error): ChildWorkflowFailure {
  const inner = ApplicationFailure.nonRetryable(cause.message);
  return new ChildWorkflowFailure('default', { workflowId, runId: '' }, 'child', 'NON_RETRYABLE_FAILURE', inner);
}
