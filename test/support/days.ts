import { Spool } from '../../activities/publish/spool/spool';
import { AttemptClock, PROCESS_CLOCKS } from '../../activities/reconcile/attempt-clock';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import Database from 'libsql';
import { createActivities } from '../../activities/create-activities';
import { type ReelayActivities } from '../../activities/contract';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { type Ledger } from '../../ledger/ledger';
import { openLedger } from '../../ledger/open';
import { type PaceLayer } from '../../ledger/pace/pace-rules';
import { type SubmissionInput } from '../../ledger/model/submission-types';
import { type Entry, type RunRef } from '../../ledger/model/types';
import { type RunningSandbox, startSandbox } from '../../sandbox/server';
import { ServiceClient } from '../../service/api/client';
import { currentProcess } from '../../host/process-identity';
import { wakeChannels } from '../../temporal/campaigns';
import { campaignWorkflowId, taskQueues } from '../../workflows/ids';
import { testServerPath } from './temporal';
import { workflowBundle } from './workflow-bundle';

export const DAY = 86_400_000;

/** A create as the ledger has it. */
export interface Sent {
  channel: string;
  campaign: string;
  /** When it was claimed, ms since the epoch. */
  at: number;
}

/**
 * Runs campaigns of days in minutes: real workflows on the time-skipping server, real activities, ledger and sandbox. The
 * clock of ledger and activities is the server's; while an activity runs, it goes at its usual speed.
 */
export class Days {
  private readonly clients: ServiceClient[] = [];
  private readonly ledgers: Ledger[] = [];
  private readonly workers: Worker[] = [];
  private readonly connections: NativeConnection[] = [];
  private running: Promise<unknown> = Promise.resolve();
  private offsetMs = 0;
  readonly now = (): number => Math.round(Date.now() + this.offsetMs);

  private constructor(
    private readonly folder: string,
    private readonly env: TestWorkflowEnvironment,
    private readonly sandbox: RunningSandbox,
  ) {}

  static async open(workers: number, profiles: number): Promise<Days> {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
    });
    const folder = await mkdtemp(join(tmpdir(), 'reelay-days-'));
    const env = await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path: await testServerPath() } },
    });
    const sandbox = await startSandbox({ profiles, processing: { minMs: 0, maxMs: 0 } });
    const days = new Days(folder, env, sandbox);
    await days.sync();
    for (let each = 0; each < workers; each += 1) await days.addWorker(each);
    days.running = Promise.all(days.workers.map((worker) => worker.run()));
    return days;
  }

  get ledger(): Ledger {
    return this.ledgers[0]!;
  }

  private async sync(): Promise<void> {
    this.offsetMs = (await this.env.currentTimeMs()) - Date.now();
  }

  private async addWorker(number: number): Promise<void> {
    const ledger = await openLedger({ path: join(this.folder, 'ledger.db') }, { now: this.now });
    this.ledgers.push(ledger);
    const identity = { ...currentProcess(), id: `worker-${number}` };
    await ledger.registerWorker(identity);
    if (number === 0) await ledger.bindAccount({ account: 'main', baseUrl: this.sandbox.baseUrl });
    const { baseUrl, apiKey } = this.sandbox;
    const client = new ServiceClient({ baseUrl, apiKey, environment: {} });
    this.clients.push(client);
    const activities = createActivities(
      {
        ledger,
        accounts: {
          names: () => ['main'],
          get: () => ({ name: 'main', client, exclusive: false, trust429: false }),
        },
        worker: identity,
        processState: () => 'alive',
        timings: { ...SANDBOX_TIMINGS, pollMs: 50, pollMaxMs: 500 },
        stopping: new AbortController().signal,
        clock: new AttemptClock({ ...PROCESS_CLOCKS, wall: this.now, awake: this.now }),
        log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
        now: this.now,
      },
      {
        spool: new Spool(join(this.folder, `spool-${number}`)),
        accountConcurrency: 16,
        wakeChannels: (ids) => wakeChannels(this.env.client, ids),
      },
    );
    const { watchPublications, createPublications, ...control } = this.inTime(activities);
    const queues = taskQueues(ledger.id);
    // Two workers on one connection would be one to the server.
    const connection = await NativeConnection.connect({ address: this.env.address });
    this.connections.push(connection);
    const common = { connection };
    this.workers.push(
      await Worker.create({
        ...common,
        taskQueue: queues.main,
        workflowBundle: await workflowBundle(),
        activities: control,
        maxCachedWorkflows: 300,
      }),
      await Worker.create({ ...common, taskQueue: queues.create, activities: { createPublications } }),
      await Worker.create({ ...common, taskQueue: queues.watch, activities: { watchPublications } }),
    );
  }

  /** Each activity begins with the server's time. */
  private inTime(activities: ReelayActivities): ReelayActivities {
    const timed = Object.entries(activities).map(([name, activity]) => [
      name,
      async (input: never) => {
        await this.sync();
        return (activity as (input: never) => Promise<unknown>)(input);
      },
    ]);
    return Object.fromEntries(timed) as ReelayActivities;
  }

  /** Submits a campaign with this many rows for each channel; returns when its plan would send the last one. */
  async submit(campaign: string, size: { channels: number; rowsEach: number }, pace: PaceLayer): Promise<Submitted> {
    const input = submission(campaign, size, pace);
    await this.sync();
    const began = this.now();
    const { channels } = await this.ledger.plan(input);
    const ends = channels.map((channel) => (channel.lastAt === null ? began : Date.parse(channel.lastAt)));
    const { run } = await this.ledger.submit(input);
    const workflowId = campaignWorkflowId(campaign);
    const handle = await this.env.client.workflow.start('publishCampaign', {
      workflowId,
      taskQueue: taskQueues(this.ledger.id).main,
      args: [{ campaign, ledgerId: this.ledger.id }],
    });
    return { run, began, plannedEnd: ends.reduce((a, b) => Math.max(a, b), began), ended: () => handle.result() };
  }

  /** Every create of the ledger, oldest first. */
  sent(): Sent[] {
    const db = new Database(join(this.folder, 'ledger.db'), { readonly: true });
    try {
      return db
        .prepare(
          `select channels.label as channel, rows.campaign as campaign, attempts.claimed_at as at from attempts
           join rows on rows.id = attempts.row_id join channels on channels.id = attempts.channel_id
           order by attempts.claimed_at`,
        )
        .all() as Sent[];
    } finally {
      db.close();
    }
  }

  async close(): Promise<void> {
    for (const worker of this.workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await this.running;
    for (const connection of this.connections) await connection.close();
    for (const client of this.clients) await client.close();
    for (const ledger of this.ledgers) await ledger.close();
    await this.sandbox.close();
    await this.env.teardown();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface Submitted {
  run: RunRef;
  /** ms since the epoch */
  began: number;
  plannedEnd: number;
  ended: () => Promise<unknown>;
}

/** Most creates in any stretch of that length, by counting at every create. */
export function mostIn(times: readonly number[], windowMs: number): number {
  return times.reduce((most, end, at) => {
    const within = times.slice(0, at + 1).filter((time) => time > end - windowMs).length;
    return Math.max(most, within);
  }, 0);
}

/**
 * When a list of rows ends if each goes as early as the caps allow: minute by minute, counting what the windows hold. Knows
 * nothing of how the ledger computes it.
 */
export function simulateEnd(rows: number, caps: readonly { count: number; windowMs: number }[], began: number): number {
  const minute = 60_000;
  const sent: number[] = [];
  for (let at = began; ; at += minute) {
    const fits = () => caps.every(({ count, windowMs }) => sent.filter((time) => time > at - windowMs).length < count);
    while (sent.length < rows && fits()) sent.push(at);
    if (sent.length === rows) return at;
  }
}

function submission(
  campaign: string,
  { channels, rowsEach }: { channels: number; rowsEach: number },
  pace: PaceLayer,
): SubmissionInput {
  return {
    campaign,
    by: 'test',
    entries: [...entries(campaign, channels, rowsEach)],
    snapshot: {
      hash: campaign,
      fileHash: campaign,
      path: `/${campaign}.csv`,
      format: 'csv',
      text: '',
      columns: [],
      settings: {
        late: 'hold',
        giveUpAfterMs: DAY,
        ambiguous: 'reconcile',
        repeat: 'refuse',
        channelConcurrency: 4,
        accountConcurrency: 16,
        pace: [pace],
      },
    },
  };
}

function* entries(campaign: string, channels: number, rowsEach: number): Generator<Entry> {
  for (let position = 0; position < channels * rowsEach; position += 1) {
    const profile = position % channels;
    yield {
      position,
      line: position + 2,
      key: `${campaign}-${position}`,
      account: 'main',
      skip: false,
      cells: {},
      values: {
        source: `https://media.example/${campaign}-${position}.mp4`,
        sourceKind: 'url',
        platform: 'platform_b',
        platformKind: 'long',
        profileId: `5a5d0000-0000-4000-8000-${String(profile + 1).padStart(12, '0')}`,
        profileName: `Profile ${profile + 1}`,
        title: `${campaign} ${position}`,
        description: null,
        privacy: null,
        status: 'published',
        publishAt: null,
        via: 'publication',
      },
    };
  }
}
