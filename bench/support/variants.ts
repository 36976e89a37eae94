import { Spool } from '../../activities/publish/spool/spool';
import { AttemptClock } from '../../activities/reconcile/attempt-clock';
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/create-activities';
import { inParallel } from '../../activities/in-parallel';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { type Ledger } from '../../ledger/ledger';
import { openLedger } from '../../ledger/open';
import { type Entry, type RunRef } from '../../ledger/model/types';
import { type AccountRegistry } from '../../service/accounts';
import { buildAccounts } from '../../worker/accounts';
import { startCampaign } from '../../temporal/campaigns';
import { connectTemporal, type TemporalConnection } from '../../temporal/connect';
import { currentProcess, isProcessAlive } from '../../host/process-identity';
import { startWorker } from '../../worker/start-worker';
import { campaignWorkflowId, taskQueues } from '../../workflows/ids';
import { type Addresses } from './backdrop';
import { USUAL_SETTINGS } from './campaign-settings';

export type VariantName = 'reelay' | 'child-per-video' | 'plain-loop';

export interface VariantReport {
  name: VariantName;
  rows: number;
  seconds: number;
  eventsPerRow: number | null;
  memoryMb: number;
}

interface VariantInput extends Addresses {
  name: VariantName;
  rows: number;
  folder: string;
}

const ACCOUNT = 'bench';
const CAMPAIGN = 'bench';
/** As many creates open as an account may have. */
const OPEN_CREATES = 16;
const CHANNELS = 4;

interface Tools {
  accounts: AccountRegistry;
  profileIds: string[];
}

const variants: Record<VariantName, (input: VariantInput, tools: Tools) => Promise<Omit<VariantReport, 'memoryMb'>>> = {
  async reelay(input, tools) {
    const { ledger, temporal } = await open(input);
    const worker = await startWorker({
      temporal: { address: input.temporal, namespace: input.namespace },
      ledger,
      accounts: tools.accounts,
      identity: currentProcess(),
      version: 'bench',
      timings: SANDBOX_TIMINGS,
      spoolFolder: join(input.folder, 'spool'),
      accountConcurrency: OPEN_CREATES,
      log: silent,
    });
    const started = Date.now();
    const run = await submit(ledger, input, tools);
    await startCampaign(temporal.client, {
      run,
      ledgerId: ledger.id,
      sequence: await ledger.sequence(),
      location: ledger.location,
      manifest: { name: 'bench.csv', hash: 'bench' },
      rows: input.rows,
      startedBy: 'bench',
    });
    await temporal.client.workflow.getHandle(campaignWorkflowId(CAMPAIGN)).result();
    const seconds = (Date.now() - started) / 1000;
    await demandAllPublished(ledger, run, input.rows);
    const events = await countEvents(temporal, `WorkflowId STARTS_WITH "campaign/"`);
    await worker.stop();
    await temporal.close();
    return { name: 'reelay', rows: input.rows, seconds, eventsPerRow: events / input.rows };
  },

  async 'child-per-video'(input, tools) {
    const { ledger, temporal } = await open(input);
    const identity = currentProcess();
    await ledger.registerWorker(identity);
    const activities = createActivities(
      {
        ledger,
        accounts: tools.accounts,
        worker: identity,
        processState: isProcessAlive,
        timings: SANDBOX_TIMINGS,
        stopping: new AbortController().signal,
        clock: new AttemptClock(),
        log: silent,
        now: Date.now,
      },
      {
        spool: new Spool(join(input.folder, 'spool')),
        accountConcurrency: OPEN_CREATES,
        // The workflows of this variant have no channels.
        wakeChannels: () => Promise.resolve(),
      },
    );
    const published = new Map<number, string>();
    const connection = await NativeConnection.connect({ address: input.temporal });
    const taskQueue = taskQueues(ledger.id).main;
    const worker = await Worker.create({
      connection,
      namespace: input.namespace,
      taskQueue,
      workflowsPath: require.resolve('./workflows'),
      activities: {
        ...activities,
        pollPublication: async ({ rowId }: { rowId: number }) => {
          const publicationId = published.get(rowId) ?? (await learnIds(ledger, published)).get(rowId) ?? '';
          const end = await pollToEnd(tools, publicationId);
          await ledger.recordEnds([{ rowId, publicationId, state: end, status: end }]);
        },
      },
    });
    const running = worker.run();
    const started = Date.now();
    await submit(ledger, input, tools);
    const run = await ledger.beginRun({ campaign: CAMPAIGN, workflowId: 'bench', workflowRunId: 'bench' });
    if (run === null) throw new Error('no run');
    currentRun = run;
    await ledger.importSubmissions(run);
    const rows: { id: number; channelId: string }[] = [];
    for (const channel of await ledger.channels(run)) {
      const page = await ledger.takePage({ run, channelId: channel.id, limit: input.rows, now: Date.now() });
      rows.push(...page.map((row) => ({ id: row.id, channelId: channel.id })));
    }
    await temporal.client.workflow.execute('perVideoCampaign', {
      workflowId: 'per-video',
      taskQueue,
      args: [{ run, rows }],
    });
    const seconds = (Date.now() - started) / 1000;
    await demandAllPublished(ledger, run, input.rows);
    const events =
      (await countEvents(temporal, `WorkflowId = "per-video"`)) +
      (await countEvents(temporal, `WorkflowType = "perVideo"`, 50)) * (input.rows / 50);
    worker.shutdown();
    await running;
    await connection.close();
    await temporal.close();
    return { name: 'child-per-video', rows: input.rows, seconds, eventsPerRow: events / input.rows };
  },

  async 'plain-loop'(input, tools) {
    const { client } = tools.accounts.get(ACCOUNT);
    const started = Date.now();
    await inParallel(OPEN_CREATES, [...entries(input, tools)], async ({ values }) => {
      const created = await client.createPublication({
        platform: values.platform,
        source: { kind: 'url', url: values.source ?? '' },
        ...(values.title === null ? {} : { title: values.title }),
        ...(values.profileId === null ? {} : { profileId: values.profileId }),
      });
      await pollToEnd(tools, created.publication.id);
    });
    return { name: 'plain-loop', rows: input.rows, seconds: (Date.now() - started) / 1000, eventsPerRow: null };
  },
};

let currentRun: RunRef | null = null;
let learning: Promise<void> | null = null;

/** Publication ids by row, read from the ledger at most once at a time. */
async function learnIds(ledger: Ledger, ids: Map<number, string>): Promise<Map<number, string>> {
  learning ??= (async () => {
    if (currentRun === null) return;
    for (const row of await ledger.inFlight(currentRun)) ids.set(row.rowId, row.publicationId);
  })().finally(() => {
    learning = null;
  });
  await learning;
  return ids;
}

async function pollToEnd(tools: Tools, publicationId: string): Promise<'published' | 'failed'> {
  while (true) {
    const { status } = await tools.accounts.get(ACCOUNT).client.getPublication(publicationId);
    if (status === 'published' || status === 'failed') return status;
    await new Promise((resolve) => setTimeout(resolve, SANDBOX_TIMINGS.pollMs));
  }
}

async function open(input: VariantInput): Promise<{ ledger: Ledger; temporal: TemporalConnection }> {
  const ledger = await openLedger({ path: join(input.folder, 'ledger.db') });
  const temporal = await connectTemporal({ address: input.temporal, namespace: input.namespace });
  return { ledger, temporal };
}

function* entries(input: VariantInput, tools: Tools): Generator<Entry> {
  for (let position = 0; position < input.rows; position += 1) {
    const profileId = tools.profileIds[position % (CHANNELS / 2)] ?? '';
    const long = position % CHANNELS >= CHANNELS / 2;
    yield {
      position,
      line: position + 2,
      key: `video-${position}`,
      account: ACCOUNT,
      skip: false,
      cells: {},
      values: {
        source: `https://videos.example/${position}.mp4`,
        sourceKind: 'url',
        platform: long ? 'platform_b' : 'platform_a',
        platformKind: long ? 'long' : 'short',
        profileId,
        profileName: profileId,
        title: `Video ${position}`,
        description: null,
        privacy: null,
        status: 'published',
        publishAt: null,
        via: 'publication',
      },
    };
  }
}

async function submit(ledger: Ledger, input: VariantInput, tools: Tools): Promise<RunRef> {
  await ledger.bindAccount({ account: ACCOUNT, baseUrl: input.service });
  const { run } = await ledger.submit({
    campaign: CAMPAIGN,
    by: 'bench',
    entries: entries(input, tools),
    snapshot: {
      hash: 'bench',
      fileHash: 'bench',
      path: 'bench.csv',
      format: 'csv',
      text: '',
      columns: [],
      settings: { ...USUAL_SETTINGS, accountConcurrency: OPEN_CREATES },
    },
  });
  return run;
}

async function demandAllPublished(ledger: Ledger, run: RunRef, rows: number): Promise<void> {
  const counts = await ledger.counts(run);
  if (counts.published !== rows) throw new Error(`not all were published: ${JSON.stringify(counts)}`);
}

async function countEvents(temporal: TemporalConnection, query: string, limit = Infinity): Promise<number> {
  let events = 0;
  let seen = 0;
  for await (const workflow of temporal.client.workflow.list({ query })) {
    events += workflow.historyLength;
    seen += 1;
    if (seen >= limit) break;
  }
  return events;
}

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (message: string, fields?: unknown) => console.error(message, fields),
};

process.once('message', (message: VariantInput) => {
  void (async () => {
    const accounts = buildAccounts([
      { name: ACCOUNT, baseUrl: message.service, apiKey: message.apiKey, exclusive: false, trust429: false },
    ]);
    const { profiles } = await accounts.get(ACCOUNT).client.listProfiles();
    let memoryMb = 0;
    const sampling = setInterval(() => {
      memoryMb = Math.max(memoryMb, process.memoryUsage().rss / 2 ** 20);
    }, 100);
    const report = await variants[message.name](message, {
      accounts,
      profileIds: profiles.map((profile) => profile.id),
    });
    clearInterval(sampling);
    await accounts.close();
    process.send?.({ ...report, memoryMb }, () => process.disconnect());
  })().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
