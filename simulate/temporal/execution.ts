import { CancelledFailure } from '@temporalio/common';
import { type Owner, type Step } from '../clock/scheduler';
import { type Temporal } from './temporal';
import { ContinueAsNew } from './workflow-stand-in';

export type Workflow = (input: never) => Promise<unknown>;

interface Waiting {
  isTrue: () => boolean;
  end: (result: boolean) => void;
  timer: Step | undefined;
}

/** Events of a real history that one activity, timer or signal takes. */
const EVENTS_EACH = 3;

/** One execution of a workflow. Its code is the product's; what it calls of Temporal comes here. */
export class Execution implements Owner {
  alive = true;
  frozenUntil = 0;
  readonly name: string;
  readonly cancelRequested: Promise<never>;
  /** Told how it ended. */
  readonly ended: ((failure: Error | null) => void)[] = [];
  private askCancel: (reason: Error) => void = () => undefined;
  private readonly handlers = new Map<string, () => void>();
  private readonly early: string[] = [];
  private waiting: Waiting[] = [];
  private events = 0;

  constructor(
    private readonly temporal: Temporal,
    private readonly workflow: Workflow,
    readonly workflowId: string,
    readonly runId: string,
    readonly parent: Execution | null,
  ) {
    this.name = workflowId;
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

  cancel(): void {
    this.askCancel(new CancelledFailure('cancelled in the Web UI'));
  }

  handle(name: string, handler: () => void): void {
    this.handlers.set(name, handler);
    if (this.early.includes(name)) handler();
  }

  condition(isTrue: () => boolean, ms?: number): Promise<boolean> {
    return new Promise((resolve) => {
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
  }

  settle(): boolean {
    const due = this.waiting.find(({ isTrue }) => isTrue());
    due?.end(true);
    return due !== undefined;
  }

  info() {
    const { workflowId, runId } = this;
    return { workflowId, runId, namespace: 'default', historyLength: this.events, continueAsNewSuggested: false };
  }

  activity(name: string, input: unknown, options: object): Promise<unknown> {
    this.events += EVENTS_EACH;
    return this.temporal.schedule(this, name, input, options);
  }

  startChild(workflow: Workflow, workflowId: string, input: unknown) {
    this.events += EVENTS_EACH;
    return this.temporal.startChild(this, workflow, workflowId, input);
  }
}
