import { type ScheduleDefinition } from '../../activities/schedules/contract';
import { type CurrentSchedule, type ScheduleServer } from '../../activities/schedules/schedule-server';
import { campaignWorkflowId, firingWorkflowId } from '../../workflows/ids';
import { publishCampaign } from '../../workflows/publish-campaign';
import { scheduledBatch } from '../../workflows/scheduled-batch';
import { BEGINNING } from '../clock/virtual-time';
import { type Scheduler } from '../clock/scheduler';
import { type WorldSchedule } from '../world/world';
import { type Temporal } from './temporal';

/** A schedule of the server: starts the workflow of each firing at its time, and answers the queries of firings. */
export class Schedule implements ScheduleServer {
  /** Times that have not come yet. */
  private left: number;
  private isPaused = false;
  private waiting: (() => void)[] = [];
  private triggered = 0;
  /** Workflow ids of its firings, each with its nominal time (ms since the epoch). */
  private readonly fired = new Map<string, number>();

  constructor(
    private readonly temporal: Temporal,
    private readonly scheduler: Scheduler,
    private readonly given: WorldSchedule,
    private readonly made: ScheduleDefinition,
    private readonly ledgerId: string,
  ) {
    this.left = given.times.length;
  }

  begin(): void {
    const { times, away, twice } = this.given;
    times.forEach((time, at) => {
      // What was due while the server was away is caught up with when it is back.
      const isAway = away !== undefined && time >= away.atMs && time < away.atMs + away.forMs;
      const dueMs = isAway ? away.atMs + away.forMs : time;
      this.scheduler.add(this.temporal, dueMs - this.scheduler.now, null, () => {
        this.left -= 1;
        if (this.isPaused) return;
        this.fire(BEGINNING + time, 1);
        if (twice === at) this.fire(BEGINNING + time, 2);
      });
    });
  }

  /** Whether it will fire automatically. */
  get isDue(): boolean {
    return this.left > 0 || this.waiting.length > 0;
  }

  /** Triggered now. */
  trigger(): void {
    this.triggered += 1;
    this.fire(BEGINNING + Math.floor(this.scheduler.now), 10 + this.triggered);
  }

  setPaused(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  /** What people do in the Web UI to the newest running firing. */
  act(does: 'reset' | 'terminate' | 'cancel'): void {
    const [id, nominalAt] = [...this.fired].reverse().find(([one]) => this.temporal.isRunning(one)) ?? [];
    if (id === undefined || nominalAt === undefined) return;
    if (does === 'cancel') this.temporal.cancel(id);
    else this.temporal.terminate(id);
    if (does === 'reset') this.start(id, nominalAt);
  }

  private fire(nominalAt: number, revision: number): void {
    const id = `${firingWorkflowId(this.made.schedule, revision)}-${new Date(nominalAt).toISOString()}`;
    const isRunning = [...this.fired.keys()].some((one) => this.temporal.isRunning(one));
    const { overlap } = this.given;
    if (isRunning && overlap === 'skip') return;
    if (isRunning && overlap === 'wait') this.waiting.push(() => this.start(id, nominalAt));
    else this.start(id, nominalAt);
  }

  private start(id: string, nominalAt: number): void {
    this.fired.set(id, nominalAt);
    const input = { definition: this.made, ledgerId: this.ledgerId };
    const execution = this.temporal.start(scheduledBatch, id, input, { nominalAt });
    execution.ended.push(() => this.waiting.shift()?.());
  }

  matchingTimes(_schedule: string, from: number, to: number): Promise<number[]> {
    const times = this.given.times.map((time) => BEGINNING + time);
    return Promise.resolve(times.filter((time) => time > from && time <= to));
  }

  definition(): Promise<CurrentSchedule> {
    const next = this.given.times.find((time) => time > this.scheduler.now);
    return Promise.resolve({ ...this.made, ...(next === undefined ? {} : { nextAt: BEGINNING + next }) });
  }

  calendars(): Promise<never[]> {
    return Promise.resolve([]);
  }

  paused(): Promise<boolean> {
    return Promise.resolve(this.isPaused);
  }

  isRunning(workflowId: string): Promise<boolean> {
    return Promise.resolve(this.temporal.isRunning(workflowId));
  }

  pause(): Promise<void> {
    this.isPaused = true;
    return Promise.resolve();
  }

  startCampaign({ run: { campaign } }: { run: { campaign: string } }): Promise<void> {
    const input = { campaign, ledgerId: this.ledgerId };
    this.temporal.signalWithStart(publishCampaign, campaignWorkflowId(campaign), input, 'submitted');
    return Promise.resolve();
  }
}
