import { createActivities } from '../../activities/create-activities';
import { Spool } from '../../activities/publish/spool/spool';
import { AttemptClock } from '../../activities/reconcile/attempt-clock';
import { type NoticeSettings } from '../../activities/notices/find-notices';
import { type ScheduleServer } from '../../activities/schedules/schedule-server';
import { type Ledger } from '../../ledger/ledger';
import { type WorkerIdentity } from '../../ledger/model/attempt-types';
import { ServiceClient } from '../../service/api/client';
import { wallClock } from '../clock/virtual-time';
import { type Scheduler } from '../clock/scheduler';
import { type Service } from '../service/service';
import { type CreatePromises, Wire } from '../service/wire';
import { activities, type RunningActivity } from '../temporal/activity-stand-in';
import { type Poller, type Temporal } from '../temporal/temporal';
import { type WorldIncident } from '../world/world';
import { stepwise } from './stepwise-ledger';
import { TIMINGS, SEEN_MS, SPOOL } from './timings';

export interface WorkerSurroundings {
  scheduler: Scheduler;
  temporal: Temporal;
  service: Service;
  openLedger: () => Promise<Ledger>;
  /** The ledger was written. */
  wrote: () => void;
  /** By worker id; false: its process has ended. */
  isAlive: (id: string) => boolean;
  /** Why the ledger can't be written now; null: it can. */
  ledgerFails: () => Error | null;
  exclusive: boolean;
  /** Where notices are sent, and for which events. */
  notices: NoticeSettings | undefined;
  schedules: ScheduleServer | undefined;
  /** Faults that will still happen to this worker; those that have happened are removed. */
  incidents: { left: readonly WorldIncident[]; happened: (incident: WorldIncident) => void };
  crashed: (worker: WorkerProcess, forMs: number) => void;
  /** It has reached a point of its work. */
  reached: (point: string) => void;
  promises: CreatePromises;
}

export const ACCOUNT = 'main';
const BASE_URL = 'https://service.example';
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A worker's process: the real activities, with a ledger, a service and a disk that are slow and may fail. */
export class WorkerProcess implements Poller {
  alive = true;
  frozenUntil = 0;
  readonly scheduler: Scheduler;
  readonly identity: WorkerIdentity;
  private readonly passedPoints = new Map<string, number>();
  private run: Record<string, (input: unknown) => Promise<unknown>> | undefined;

  constructor(
    readonly name: string,
    readonly host: number,
    readonly around: WorkerSurroundings,
  ) {
    this.scheduler = around.scheduler;
    this.identity = { id: name, hostId: `host-${host}`, bootId: 'boot', pid: 1, startTime: name };
  }

  /** Begins: registers, then polls. */
  start(): void {
    this.scheduler.add(this, this.scheduler.moment(), 'starts', () => void this.begin());
  }

  polls(): boolean {
    return this.run !== undefined && this.frozenUntil <= this.scheduler.now;
  }

  perform(name: string, input: unknown, activity: RunningActivity): Promise<unknown> {
    const work = this.run?.[name];
    if (work === undefined) return Promise.reject(new Error(`no activity ${name}`));
    activities.current = activity;
    return work(input);
  }

  /** A point between two awaits: resolves in a later step, if this process still exists. */
  point(name: string): Promise<void> {
    return new Promise((resolve) => {
      this.passed(name);
      if (this.alive) this.scheduler.add(this, this.scheduler.moment(), null, resolve);
    });
  }

  told(what: string): void {
    this.scheduler.note(this, what);
  }

  wrote(): void {
    this.around.wrote();
  }

  /** The faults of this point happen. */
  passed(name: string): void {
    const times = (this.passedPoints.get(name) ?? 0) + 1;
    this.passedPoints.set(name, times);
    this.around.reached(name);
    for (const incident of this.around.incidents.left) {
      if (incident.point !== name || incident.nth !== times) continue;
      this.around.incidents.happened(incident);
      if (incident.does === 'crash') this.crash(incident.forMs, name);
      else this.freeze(incident.forMs, name);
      return;
    }
  }

  private crash(forMs: number, where: string): void {
    this.alive = false;
    this.scheduler.note(this, `dies at “${where}”`);
    this.around.crashed(this, forMs);
  }

  private freeze(forMs: number, where: string): void {
    this.frozenUntil = this.scheduler.now + forMs;
    this.scheduler.note(this, `is frozen at “${where}” for ${Math.round(forMs / 1_000)} s`);
    this.scheduler.add(this, forMs, 'wakes up', () => this.around.temporal.wake());
  }

  private async begin(): Promise<void> {
    const ledger = stepwise(await this.around.openLedger(), this, this.around.ledgerFails);
    await this.again(() => ledger.registerWorker(this.identity));
    await this.again(() => ledger.bindAccount({ account: ACCOUNT, baseUrl: BASE_URL }));
    setInterval(() => void ledger.workerSeen(this.identity.id).catch(() => undefined), SEEN_MS);
    const elapsed = () => this.scheduler.now;
    const client = new ServiceClient({
      baseUrl: BASE_URL,
      apiKey: 'key',
      environment: {},
      limits: { answerMs: 1_200, createAnswerMs: 1_500, uploadStallMs: 1_500, uploadAnswerMs: 1_500 },
      transport: (options) => new Wire(this, this.around.service, options),
    });
    const connection = { name: ACCOUNT, client, exclusive: this.around.exclusive, trust429: false };
    const made = createActivities(
      {
        ledger,
        accounts: { names: () => [ACCOUNT], get: () => connection },
        worker: this.identity,
        processState: (other) => this.stateOf(other),
        ...(this.around.notices === undefined ? {} : { notices: this.around.notices }),
        timings: TIMINGS,
        stopping: new AbortController().signal,
        log: SILENT,
        now: wallClock,
        clock: new AttemptClock({ wall: wallClock, monotonic: elapsed, awake: elapsed }),
      },
      {
        spool: new Spool(SPOOL),
        accountConcurrency: 16,
        wakeChannels: async (ids) => this.wakeChannels(ids),
        ...(this.around.schedules === undefined ? {} : { schedules: this.stepwise(this.around.schedules) }),
      },
    );
    this.run = made as unknown as Record<string, (input: unknown) => Promise<unknown>>;
    this.around.temporal.connect(this);
  }

  /** Calls to Temporal have their own steps. */
  private stepwise(server: ScheduleServer): ScheduleServer {
    return new Proxy(server, {
      get: (target, name: keyof ScheduleServer) => async (first: never, second: never, third: never) => {
        await this.point(`${name} before`);
        return target[name](first, second, third);
      },
    });
  }

  /** A process that can't write when it starts is started again. */
  private async again(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch {
        await new Promise<void>((resolve) => setTimeout(resolve, 1_000));
      }
    }
  }

  private stateOf(other: WorkerIdentity): 'alive' | 'dead' | 'unknown' {
    if (other.hostId !== this.identity.hostId) return 'unknown';
    return this.around.isAlive(other.id) ? 'alive' : 'dead';
  }

  private wakeChannels(workflowIds: readonly string[]): void {
    for (const id of workflowIds) this.around.temporal.signal(id, 'hurry');
  }
}
