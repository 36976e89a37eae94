import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelWatch } from '../../../activities/publish/cancel-watch';
import { createPublications } from '../../../activities/publish/create-publications';
import { type ActivityDeps } from '../../../activities/deps';
import { importManifest } from '../../../activities/run/run-activities';
import { SharedPages } from '../../../activities/follow/shared-pages';
import { Slots } from '../../../activities/publish/places/slots';
import { Turns } from '../../../activities/publish/places/turns';
import { Departures } from '../../../activities/publish/places/departures';
import { provenDeleted } from '../../../activities/reconcile/proven-deleted';
import { RollbackWitness } from '../../../activities/reconcile/rollback-witness';
import { Spool } from '../../../activities/publish/spool/spool';
import { AttemptClock } from '../../../activities/reconcile/attempt-clock';
import { PRODUCTION_TIMINGS } from '../../../activities/timings';
import { watchPublications } from '../../../activities/run/watch-publications';
import { currentProcess } from '../../../host/process-identity';
import { type Ledger } from '../../../ledger/ledger';
import { openLedger } from '../../../ledger/open';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { type Entry, type RowValues, type RunRef } from '../../../ledger/model/types';
import { placeFreshLedger } from '../../support/fresh-ledger';
import { type ServiceClient } from '../../../service/api/client';
import { type Behaviour, StandInService } from './stand-in-service';

const NOON = Date.UTC(2026, 2, 2, 12);
const ACCOUNT = 'main';

export interface SceneOptions {
  behaviour?: Partial<Behaviour>;
  exclusive?: boolean;
  ambiguous?: 'reconcile' | 'hold';
  /** Between two rounds of `finish`, ms; and between two scans of the list. */
  stepMs?: number;
  /** What is parked is resumed at once. */
  resumes?: boolean;
  /** The process has no key for the account (any more). */
  keyless?: () => boolean;
  /** How far the worker's clock is ahead of the true time, by the true time since the scene began; ms. */
  clockAhead?: (sinceMs: number) => number;
}

/**
 * Several campaigns on one account, with a real ledger on disk and the real activities between it and a simulated
 * service. Time is a number that pauses advance: minutes pass at once.
 */
export class AccountScene {
  /** True time, ms. */
  time = NOON;
  readonly service: StandInService;
  readonly runs = new Map<string, RunRef>();
  private constructor(
    private readonly folder: string,
    readonly ledger: Ledger,
    private readonly options: SceneOptions,
    private readonly deps: () => ActivityDeps & {
      spool: Spool;
      pages: SharedPages;
      slots: () => Slots;
      turns: () => Turns;
      departures: Departures;
      cancels: CancelWatch;
      witness: RollbackWitness;
      isProvenDeleted: ReturnType<typeof provenDeleted>;
    },
    service: (now: () => number) => StandInService,
    clock: { scene?: AccountScene },
  ) {
    clock.scene = this;
    this.service = service(() => this.time);
  }

  static async open(options: SceneOptions = {}): Promise<AccountScene> {
    const folder = await mkdtemp(join(tmpdir(), 'reelay-account-'));
    const clock: { scene?: AccountScene } = {};
    const trueTime = (): number => clock.scene?.time ?? NOON;
    const local = (): number => clock.scene?.localTime() ?? NOON;
    await placeFreshLedger(join(folder, 'ledger.db'));
    const ledger = await openLedger({ path: join(folder, 'ledger.db') }, { now: local });
    const worker = currentProcess();
    await ledger.registerWorker(worker);
    await ledger.bindAccount({ account: ACCOUNT, baseUrl: 'https://service.example' });
    const slots = new Slots(16);
    const turns = new Turns();
    const attemptClock = new AttemptClock({ wall: local, monotonic: trueTime, awake: trueTime });
    const deps = {
      ledger,
      accounts: {
        names: () => [ACCOUNT],
        get: () => {
          if (options.keyless?.() === true) throw new Error('REELAY_API_KEY is not set');
          return {
            name: ACCOUNT,
            client: clock.scene?.service as unknown as ServiceClient,
            exclusive: options.exclusive ?? false,
            trust429: false,
          };
        },
      },
      worker,
      processState: () => 'alive' as const,
      timings: { ...PRODUCTION_TIMINGS, lookGapMs: options.stepMs ?? PRODUCTION_TIMINGS.lookGapMs, slotWaitMs: 0 },
      stopping: new AbortController().signal,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      now: local,
      clock: attemptClock,
      spool: new Spool(join(folder, 'spool')),
      pages: new SharedPages(attemptClock),
      slots: () => slots,
      turns: () => turns,
      departures: new Departures(),
      cancels: new CancelWatch(ledger),
      witness: new RollbackWitness({ ledger, log: { error: () => undefined, warn: () => undefined } }),
      isProvenDeleted: provenDeleted({ ledger, now: local, clock: attemptClock }),
    };
    return new AccountScene(
      folder,
      ledger,
      options,
      () => deps,
      (now) => new StandInService(now, options.behaviour),
      clock,
    );
  }

  localTime(): number {
    return this.time + (this.options.clockAhead?.(this.time - NOON) ?? 0);
  }

  /** Submits a campaign of rows with these titles (or values), and creates what may be created. */
  async submit(campaign: string, rows: readonly (string | Partial<RowValues>)[], version = 1): Promise<void> {
    const { run } = await this.ledger.submit({
      campaign,
      by: 'test',
      entries: rows.map((row, at) => entry(campaign, at, typeof row === 'string' ? { title: row } : row)),
      snapshot: {
        hash: `${campaign}-${version}`,
        fileHash: `${campaign}-${version}`,
        path: '/manifest.csv',
        format: 'csv',
        text: '',
        columns: ['title'],
        settings: {
          late: 'publish',
          giveUpAfterMs: 24 * 3_600_000,
          ambiguous: this.options.ambiguous ?? 'reconcile',
          repeat: 'allow',
          channelConcurrency: 4,
          accountConcurrency: 16,
        },
      },
    });
    await this.begin(run);
  }

  async begin(run: RunRef): Promise<void> {
    await this.ledger.beginRun({
      campaign: run.campaign,
      workflowId: `campaign/${run.campaign}`,
      workflowRunId: `r${run.number}`,
    });
    this.runs.set(run.campaign, run);
    await importManifest(this.deps(), { run }, { heartbeat: () => undefined });
  }

  /** Creates what may be created of every campaign, in the order of its rows. */
  async create(): Promise<boolean> {
    let some = false;
    for (const run of this.runs.values()) {
      for (const channel of await this.ledger.channels(run)) {
        const now = this.localTime();
        const page = await this.ledger.takePage({ run, channelId: channel.id, limit: 100, now });
        const ready = page.filter((row) => row.readyAt === null || Date.parse(row.readyAt) <= now);
        for (const { id } of ready) {
          const { rows } = await createPublications(
            this.deps(),
            { run, channelId: channel.id, rowIds: [id] },
            this.context(),
          );
          some ||= rows.some((row) => row.result === 'done');
          if (rows.some((row) => row.result === 'refused-access')) break;
        }
      }
    }
    return some;
  }

  /** Claims the campaign's next row for a worker that never writes again. */
  async claimSilently(campaign: string): Promise<void> {
    const run = this.runs.get(campaign);
    if (run === undefined) throw new Error(`no campaign ${campaign}`);
    const worker = { ...currentProcess(), id: 'silent' };
    await this.ledger.registerWorker(worker);
    const now = this.localTime();
    const [channel] = await this.ledger.channels(run);
    const [row] = await this.ledger.takePage({ run, channelId: channel?.id ?? '', limit: 1, now });
    await this.ledger.claim({ rowId: row?.id ?? 0, run, worker: worker.id, now });
  }

  /** One round of every run's watch. */
  async watch(): Promise<void> {
    for (const run of this.runs.values()) {
      await watchPublications(this.deps(), { run, budgetMs: 1, atLeastMs: 0 }, this.context());
    }
  }

  /**
   * Creates and watches until every row has ended; at most `hours` of the scene's time. The longer it takes, the longer
   * are the pauses. Gives the rows without an end.
   */
  async finish(hours = 3): Promise<ResultRecord[]> {
    const since = this.time;
    const until = since + hours * 3_600_000;
    while (this.time < until) {
      await this.create();
      await this.watch();
      for (const run of this.runs.values()) {
        const parked = (await this.ledger.gates(run)).some(({ kind }) => kind === 'parked');
        if (this.options.resumes === true && parked) await this.ledger.resume({ run, by: 'test' });
      }
      if ((await this.openRows()).length === 0) break;
      this.time += Math.max(this.options.stepMs ?? 15_000, Math.round((this.time - since) / 16));
    }
    return this.openRows();
  }

  async rows(campaign?: string): Promise<ResultRecord[]> {
    const records: ResultRecord[] = [];
    for (const run of this.runs.values()) {
      if (campaign !== undefined && run.campaign !== campaign) continue;
      for await (const record of this.ledger.results(run)) records.push(record);
    }
    return records;
  }

  async states(campaign?: string): Promise<string[]> {
    return (await this.rows(campaign)).map((row) => row.state);
  }

  private async openRows(): Promise<ResultRecord[]> {
    return (await this.rows()).filter(({ state }) => ['planned', 'waiting', 'creating', 'processing'].includes(state));
  }

  /** Retries what was rejected, in every campaign. */
  async retryRejected(): Promise<void> {
    for (const previous of [...this.runs.values()]) {
      const { run } = await this.ledger.retry({ run: previous, states: ['rejected'], by: 'test' });
      if (run !== null && run.number !== previous.number) await this.begin(run);
    }
  }

  /** Sources that are out more than once. */
  twice(): string[] {
    return [...this.service.timesBySource()].filter(([, times]) => times > 1).map(([source]) => source);
  }

  private context() {
    return {
      cancelled: new AbortController().signal,
      shuttingDown: () => false,
      heartbeat: () => undefined,
      pause: async (ms: number) => {
        this.time += ms;
      },
    };
  }

  async close(): Promise<void> {
    await this.ledger.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function entry(campaign: string, position: number, values: Partial<RowValues>): Entry {
  return {
    position,
    line: position + 2,
    key: `k${position}`,
    account: ACCOUNT,
    skip: false,
    cells: {},
    values: {
      source: `https://videos.example/${campaign}/${position}.mp4`,
      sourceKind: 'url',
      platform: 'platform_b',
      platformKind: 'long',
      profileId: 'profile-1',
      profileName: null,
      title: `Video ${position}`,
      description: null,
      privacy: 'private',
      status: 'published',
      publishAt: null,
      via: 'publication',
      ...values,
    },
  };
}
