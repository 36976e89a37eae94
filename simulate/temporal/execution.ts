import { CancelledFailure } from '@temporalio/common';
import { type Owner, type Scheduler, type Step } from '../clock/scheduler';
import { BEGINNING } from '../clock/virtual-time';

export type Workflow = (input: never) => Promise<unknown>;

export interface ChildOptions {
  /** `ABANDON`: it continues when its parent has ended. */
  parentClosePolicy?: string;
  /** `REJECT_DUPLICATE`: an id is never used twice. */
  workflowIdReusePolicy?: string;
}

export interface StartOptions extends ChildOptions {
  parent?: Execution;
  /** Of a schedule's: its time, ms since the epoch. */
  nominalAt?: number;
}

/** What an execution needs of its server. */
interface Server {
  readonly scheduler: Scheduler;
  step(execution: Execution, what: string | null, go: () => void): void;
  schedule(execution: Execution, name: string, input: unknown, options: object): Promise<unknown>;
  startChild(
    ...child: [Execution, Workflow, workflowId: string, input: unknown, ChildOptions]
  ): Promise<{ result: () => Promise<void> }>;
  ended(execution: Execution, failure: Error | null): void;
}

interface Waiting {
  isTrue: () => boolean;
  end: (result: boolean) => void;
  timer: Step | undefined;
}

/** Events in a real history that one activity, timer or signal takes. */
const EVENTS_EACH = 3;

/** One execution of a workflow. Its code is the product's; its calls to Temporal arrive here. */
export class Execution implements Owner {
  alive = true;
  frozenUntil = 0;
  readonly name: string;
  readonly cancelRequested: Promise<never>;
  /** Called with how it ended. */
  readonly ended: ((failure: Error | null) => void)[] = [];
  private askCancel: (reason: Error) => void = () => undefined;
  private readonly handlers = new Map<string, () => void>();
  private readonly early: string[] = [];
  private waiting: Waiting[] = [];
  private events = 0;
  private readonly startedAt: number;
  /** Work that a cancel doesn't reach. */
  private shields = 0;
  private isCancelled = false;
  /** What a cancel ends. */
  private readonly cancellable = new Set<(reason: Error) => void>();

  constructor(
    private readonly temporal: Server,
    private readonly workflow: Workflow,
    readonly workflowId: string,
    readonly runId: string,
    readonly options: StartOptions,
  ) {
    this.name = workflowId;
    this.startedAt = BEGINNING + temporal.scheduler.now;
    this.cancelRequested = new Promise((_, reject) => {
      this.askCancel = reject;
    });
    this.cancelRequested.catch(() => undefined);
  }

  /** Runs it from its beginning. */
  begin(input: unknown): void {
    this.events = 0;
    this.workflow(input as never).then(
      () => this.end(null),
      (error: unknown) => {
        if (error instanceof ContinueAsNew) this.temporal.step(this, 'continued as new', () => this.begin(error.input));
        else this.end(error as Error);
      },
    );
  }

  /** Ends it, by itself or from outside. */
  end(failure: Error | null): void {
    if (!this.alive) return;
    this.alive = false;
    this.temporal.ended(this, failure);
  }

  signal(name: string): void {
    this.events += 1;
    const handler = this.handlers.get(name);
    if (handler === undefined) this.early.push(name);
    else handler();
  }

  get isAbandoned(): boolean {
    return this.options.parentClosePolicy === 'ABANDON';
  }

  cancel(): void {
    this.isCancelled = true;
    this.askCancel(new CancelledFailure('cancelled in the Web UI'));
    if (this.shields === 0)
      for (const end of [...this.cancellable]) end(new CancelledFailure('cancelled in the Web UI'));
  }

  async shielded<T>(work: () => Promise<T>): Promise<T> {
    this.shields += 1;
    try {
      return await work();
    } finally {
      this.shields -= 1;
    }
  }

  /** Ends when its work does, or with a cancel that reaches it. */
  private unlessCancelled<T>(work: Promise<T>): Promise<T> {
    if (this.shields > 0) return work;
    return new Promise((resolve, reject) => {
      const end = (reason: Error): void => reject(reason);
      if (this.isCancelled) end(new CancelledFailure('cancelled in the Web UI'));
      this.cancellable.add(end);
      work.then(resolve, reject).finally(() => this.cancellable.delete(end));
    });
  }

  handle(name: string, handler: () => void): void {
    this.handlers.set(name, handler);
    if (this.early.includes(name)) handler();
  }

  condition(isTrue: () => boolean, ms?: number): Promise<boolean> {
    const met = new Promise<boolean>((resolve) => {
      const waiting: Waiting = {
        isTrue,
        timer: undefined,
        end: (result) => {
          this.waiting = this.waiting.filter((one) => one !== waiting);
          if (waiting.timer !== undefined) waiting.timer.cancelled = true;
          resolve(result);
        },
      };
      this.waiting.push(waiting);
      if (ms === undefined) return;
      this.events += EVENTS_EACH;
      waiting.timer = this.temporal.scheduler.add(this, ms, null, () => waiting.end(false));
    });
    return this.unlessCancelled(met);
  }

  settle(): boolean {
    const due = this.waiting.find(({ isTrue }) => isTrue());
    due?.end(true);
    return due !== undefined;
  }

  info() {
    const { workflowId, runId } = this;
    const { nominalAt } = this.options;
    return {
      ...{ workflowId, runId, namespace: 'default', historyLength: this.events, continueAsNewSuggested: false },
      startTime: new Date(this.startedAt),
      typedSearchAttributes: { get: () => (nominalAt === undefined ? undefined : new Date(nominalAt)) },
    };
  }

  activity(name: string, input: unknown, options: object): Promise<unknown> {
    this.events += EVENTS_EACH;
    return this.unlessCancelled(this.temporal.schedule(this, name, input, options));
  }

  startChild(workflow: Workflow, workflowId: string, input: unknown, options: ChildOptions) {
    this.events += EVENTS_EACH;
    return this.temporal.startChild(this, workflow, workflowId, input, options);
  }
}

/** What `continueAsNew` throws. */
export class ContinueAsNew extends Error {
  constructor(readonly input: unknown) {
    super('continue as new');
  }
}
