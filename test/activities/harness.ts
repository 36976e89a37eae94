import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportHealth } from '../../activities/accounts/account-health';
import { type ActivityContext } from '../../activities/context';
import { CancelWatch } from '../../activities/publish/cancel-watch';
import { type CreatePublicationsResult, type WatchResult } from '../../activities/contract';
import { createPublications } from '../../activities/publish/create-publications';
import { type ActivityDeps } from '../../activities/deps';
import { importManifest } from '../../activities/run/run-activities';
import { SharedPages } from '../../activities/follow/shared-pages';
import { Slots } from '../../activities/publish/places/slots';
import { Turns } from '../../activities/publish/places/turns';
import { Departures } from '../../activities/publish/places/departures';
import { AttemptClock } from '../../activities/reconcile/attempt-clock';
import { Spool } from '../../activities/publish/spool/spool';
import { type Timings } from '../../activities/timings';
import { provenDeleted } from '../../activities/reconcile/proven-deleted';
import { RollbackWitness } from '../../activities/reconcile/rollback-witness';
import { watchPublications } from '../../activities/run/watch-publications';
import { type Ledger } from '../../ledger/ledger';
import { openLedger } from '../../ledger/open';
import { type WorkerIdentity } from '../../ledger/model/attempt-types';
import { type ResultRecord } from '../../ledger/model/result-types';
import { type SubmissionInput } from '../../ledger/model/submission-types';
import { type CampaignSettings, type Entry, type RowValues, type RunRef } from '../../ledger/model/types';
import { placeFreshLedger } from '../support/fresh-ledger';
import { type SandboxOptions } from '../../sandbox/options';
import { type RunningSandbox, startSandbox } from '../../sandbox/server';
import { ServiceClient } from '../../service/api/client';
import { type TimeLimits } from '../../service/connection/time-limits';
import { currentProcess } from '../../host/process-identity';
import { QUICK } from './quick-timings';

export interface HarnessOptions {
  sandbox?: SandboxOptions;
  rows?: number;
  values?: (index: number) => Partial<RowValues>;
  exclusive?: boolean;
  trust429?: boolean;
  ambiguous?: 'reconcile' | 'hold';
  giveUpAfterMs?: number;
  limits?: Partial<TimeLimits>;
  timings?: Partial<Timings>;
  settings?: Partial<CampaignSettings>;
}

const CAMPAIGN = 'trial';
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A real ledger on disk, a real sandbox, and the activities between them; only Temporal is left out. */
export class Harness {
  private constructor(
    readonly folder: string,
    readonly sandbox: RunningSandbox,
    readonly ledger: Ledger,
    readonly deps: ActivityDeps & {
      spool: Spool;
      pages: SharedPages;
      slots: (account: string) => Slots;
      turns: (channelId: string) => Turns;
      departures: Departures;
      cancels: CancelWatch;
      witness: RollbackWitness;
      isProvenDeleted: ReturnType<typeof provenDeleted>;
    },
    /** Replaced by a later submit's. */
    public run: RunRef,
    private readonly client: ServiceClient,
  ) {}

  static async open(options: HarnessOptions = {}): Promise<Harness> {
    const folder = await mkdtemp(join(tmpdir(), 'reelay-activities-'));
    const sandbox = await startSandbox({ processing: { minMs: 0, maxMs: 50 }, ...options.sandbox });
    await placeFreshLedger(join(folder, 'ledger.db'));
    const ledger = await openLedger({ path: join(folder, 'ledger.db') });
    const client = new ServiceClient({
      baseUrl: sandbox.baseUrl,
      apiKey: sandbox.apiKey,
      environment: {},
      limits: { answerMs: 4_000, createAnswerMs: 2_000, ...options.limits },
    });
    const worker = currentProcess();
    await ledger.registerWorker(worker);
    await ledger.bindAccount({ account: 'main', baseUrl: sandbox.baseUrl });
    const slots = new Slots(16);
    const turns = new Turns();
    const clock = new AttemptClock();
    const deps = {
      ledger,
      accounts: reportHealth({
        ledger,
        log: SILENT,
        now: Date.now,
        accounts: {
          names: () => ['main'],
          get: () => ({
            name: 'main',
            client,
            exclusive: options.exclusive ?? false,
            trust429: options.trust429 ?? false,
          }),
        },
      }),
      worker,
      processState: (other: WorkerIdentity) => (other.pid === process.pid ? ('alive' as const) : ('dead' as const)),
      timings: { ...QUICK, ...options.timings },
      stopping: new AbortController().signal,
      log: SILENT,
      now: Date.now,
      clock,
      spool: new Spool(join(folder, 'spool')),
      pages: new SharedPages(clock),
      slots: () => slots,
      turns: () => turns,
      departures: new Departures(),
      cancels: new CancelWatch(ledger),
      witness: new RollbackWitness({ ledger, log: SILENT }),
      isProvenDeleted: provenDeleted({ ledger, now: Date.now, clock }),
    };
    const { run } = await ledger.submit(manifestOf(options));
    await ledger.beginRun({ campaign: CAMPAIGN, workflowId: 'campaign/trial', workflowRunId: 'r1' });
    const harness = new Harness(folder, sandbox, ledger, deps, run, client);
    await importManifest(deps, { run }, { heartbeat: () => undefined });
    return harness;
  }

  get service(): ServiceClient {
    return this.client;
  }

  /** Creates until no row is left that may be sent; what the channel workflow does, without Temporal. */
  async create(): Promise<void> {
    for (let round = 0; round < 50; round += 1) {
      let some = false;
      for (const channel of await this.ledger.channels(this.run)) {
        const page = await this.ledger.takePage({ run: this.run, channelId: channel.id, limit: 8, now: Date.now() });
        const ready = page.filter((row) => row.readyAt === null || Date.parse(row.readyAt) <= Date.now());
        if (ready.length === 0) continue;
        some = true;
        const result = await createPublications(
          this.deps,
          { run: this.run, channelId: channel.id, rowIds: ready.map((row) => row.id) },
          this.context(),
        );
        const wait = Math.max(0, ...result.rows.map((row) => row.waitMs ?? 0));
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        if (result.rows.some((row) => row.result === 'refused-access' || row.result === 'unreachable')) return;
      }
      if (!some) return;
    }
  }

  /** Creates one row, whatever the others wait for. */
  async createFirst(): Promise<void> {
    await this.createGroup({ rows: 1, places: 1 });
  }

  /** One activity for the first rows of the first channel. */
  async createGroup(group: { rows: number; places: number }): Promise<CreatePublicationsResult> {
    const [channel] = await this.ledger.channels(this.run);
    if (channel === undefined) throw new Error('no row is left');
    const channelId = channel.id;
    const page = await this.ledger.takePage({ run: this.run, channelId, limit: group.rows, now: Date.now() });
    const rowIds = page.map((row) => row.id);
    return createPublications(this.deps, { run: this.run, channelId, rowIds, places: group.places }, this.context());
  }

  /** Watches, and creates again what went back, until every row has ended. */
  async finish(): Promise<void> {
    for (let round = 0; round < 50; round += 1) {
      const watch = await watchPublications(
        this.deps,
        { run: this.run, budgetMs: 20_000, atLeastMs: 50 },
        this.context(),
      );
      if (watch.open === 0) return;
      await this.create();
    }
    throw new Error('the run does not end');
  }

  /** One round of following. */
  async follow(): Promise<void> {
    await this.watch({ budgetMs: 1 });
  }

  /** Follows for at most so long. */
  watch(input: { budgetMs: number; parked?: string[] }): Promise<WatchResult> {
    return watchPublications(this.deps, { run: this.run, atLeastMs: 0, ...input }, this.context());
  }

  context(): ActivityContext {
    return {
      cancelled: new AbortController().signal,
      shuttingDown: () => false,
      heartbeat: () => undefined,
      pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 50))),
    };
  }

  async results(): Promise<ResultRecord[]> {
    const records: ResultRecord[] = [];
    for await (const record of this.ledger.results(this.run)) records.push(record);
    return records;
  }

  /** How often each title was accepted by the service, by its own log. */
  accepted(): Map<string, number> {
    const times = new Map<string, number>();
    for (const { title } of this.sandbox.log()) times.set(title ?? '', (times.get(title ?? '') ?? 0) + 1);
    return times;
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.ledger.close();
    await this.sandbox.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A submission of the harness's rows; `version` distinguishes submissions that follow each other. */
export function manifestOf(options: HarnessOptions, version = '1'): SubmissionInput {
  return {
    campaign: CAMPAIGN,
    by: 'test',
    entries: entries(options),
    snapshot: {
      hash: `h${version}`,
      fileHash: `f${version}`,
      path: '/manifest.csv',
      format: 'csv',
      text: '',
      columns: ['title'],
      settings: {
        late: 'hold',
        giveUpAfterMs: options.giveUpAfterMs ?? 60_000,
        ambiguous: options.ambiguous ?? 'reconcile',
        repeat: 'refuse',
        channelConcurrency: 4,
        accountConcurrency: 16,
        ...options.settings,
      },
    },
  };
}

function* entries(options: HarnessOptions): Generator<Entry> {
  for (let position = 0; position < (options.rows ?? 4); position += 1) {
    yield {
      position,
      line: position + 2,
      key: `k${position}`,
      account: 'main',
      skip: false,
      cells: { title: `Video ${position}` },
      values: {
        source: `https://videos.example/${position}.mp4`,
        sourceKind: 'url',
        platform: 'platform_a',
        platformKind: 'short',
        profileId: null,
        profileName: null,
        title: `Video ${position}`,
        description: null,
        privacy: null,
        status: 'published',
        publishAt: null,
        via: 'publication',
        ...options.values?.(position),
      },
    };
  }
}
