import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { type PublishCampaignResult } from '../../workflows/publish-campaign';
import { wakeChannels } from '../../temporal/campaigns';
import { campaignWorkflowId, taskQueues } from '../../workflows/ids';
import { testServerPath } from '../support/temporal';
import { workflowBundle } from '../support/workflow-bundle';
import { LedgerModel } from './ledger-model';

// Minutes for all of it: files that ask for more time begin sooner.
jest.setTimeout(400_000);

// Each test has its own server: an activity that one leaves open keeps its server from skipping time.
let env: TestWorkflowEnvironment;
let bundle: WorkflowBundleWithSourceMap;
/** Ends the workers of the test under way; one that timed out leaves them running. */
let stopWorkers: (() => Promise<void>) | null = null;

beforeAll(async () => {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  });
  bundle = await workflowBundle();
});

beforeEach(async () => {
  env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: await testServerPath() } },
  });
});

afterEach(async () => {
  await stopWorkers?.();
  await env.teardown();
});

/** Runs `work` with workers on all queues; the activities are those of the model. */
async function withWorkers<T>(model: LedgerModel, work: () => Promise<T>): Promise<T> {
  const { watchPublications, createPublications, ...control } = model.activities(
    () => env.currentTimeMs(),
    (ids) => wakeChannels(env.client, ids),
  );
  const common = { connection: env.nativeConnection };
  // Each test has its own queues, as each ledger has.
  const queues = taskQueues(model.campaign);
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: queues.main,
      workflowBundle: bundle,
      activities: { ...control, createPublications },
    }),
    Worker.create({ ...common, taskQueue: queues.create, activities: { createPublications } }),
    Worker.create({ ...common, taskQueue: queues.upload, activities: { createPublications } }),
    Worker.create({ ...common, taskQueue: queues.watch, activities: { watchPublications } }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  const stop = async () => {
    if (stopWorkers !== stop) return;
    stopWorkers = null;
    for (const worker of workers) worker.shutdown();
    await running;
  };
  stopWorkers = stop;
  try {
    return await work();
  } finally {
    await stop();
  }
}

function start(campaign: string) {
  return env.client.workflow.start('publishCampaign', {
    workflowId: campaignWorkflowId(campaign),
    taskQueue: taskQueues(campaign).main,
    args: [{ campaign, ledgerId: campaign }],
  });
}

async function runToEnd(campaign: string): Promise<void> {
  const handle = await start(campaign);
  await handle.result();
}

/** How long (s, rounded up) the timers of a workflow with such a summary were set for. */
async function timersOf(workflowId: string, summary: RegExp): Promise<number[]> {
  const { events } = await env.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer, userMetadata }) => {
    const { seconds, nanos } = timer?.startToFireTimeout ?? {};
    const said = Buffer.from(userMetadata?.summary?.data ?? []).toString();
    return timer && summary.test(said) ? [Number(seconds ?? 0) + Math.ceil((nanos ?? 0) / 1e9)] : [];
  });
}

async function historyTypes(workflowId: string): Promise<number> {
  const history = await env.client.workflow.getHandle(workflowId).fetchHistory();
  return history.events?.length ?? 0;
}

describe('a campaign', () => {
  it('requests no claims while a gate holds its channels, and continues at once when it is opened', async () => {
    const model = new LedgerModel('held', { channels: 2, rowsEach: 20 });
    model.gate = 'paused since noon';
    await withWorkers(model, async () => {
      const handle = await start('held');
      await model.until(() => model.pages >= 2);
      const seen = model.pages;
      // As long as two watches last: a channel that asked again and again would have by then.
      const watched = await historyTypes('campaign/held');
      while ((await historyTypes('campaign/held')) < watched + 6)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect(model.refusals).toBe(0);
      expect(model.pages).toBeLessThanOrEqual(seen + 4);
      model.gate = null;
      await handle.signal('hurry');
      await handle.result();
    });
    expect(model.counts()).toEqual({ published: 40 });
  });

  it('creates each row once, in groups, and ends with every outcome', async () => {
    const model = new LedgerModel('spring', { channels: 3, rowsEach: 40 });
    const result = await withWorkers(model, async () => {
      const handle = await start('spring');
      return (await handle.result()) as PublishCampaignResult;
    });
    expect(result).toEqual({ run: 'spring.1', counts: { published: 120 } });
    expect(model.sent.length).toBe(120);
    expect(new Set(model.sent).size).toBe(120);
    expect(await historyTypes('campaign/spring')).toBeLessThan(120);
  });

  it('waits for a row’s time by a durable timer', async () => {
    const model = new LedgerModel('later', { channels: 1, rowsEach: 3 });
    const began = await env.currentTimeMs();
    model.delay(2, began + 3 * 24 * 3_600_000);
    await withWorkers(model, () => runToEnd('later'));
    expect(model.sent.length).toBe(3);
    expect(model.sentAt.get(2)).toBeGreaterThanOrEqual(began + 3 * 24 * 3_600_000);
  });

  it('sends a row at its time while another one’s upload lasts', async () => {
    const model = new LedgerModel('beside', { channels: 1, rowsEach: 2 });
    // Time isn't skipped while an activity runs, so this one comes soon; the other ends only once it was sent.
    model.delayFromFirstPage(1, 5_000);
    model.lasting = { id: 0, ended: () => model.sent.includes(1) };
    await withWorkers(model, () => runToEnd('beside'));
    expect(model.sent).toEqual([1, 0]);
  });

  it('continues after a pause that the service asked for while an upload lasts, and notices a cancel during it', async () => {
    const model = new LedgerModel('busy', { channels: 1, rowsEach: 3 });
    model.delayFromFirstPage(1, 5_000);
    model.delayFromFirstPage(2, 5_000);
    model.busyAt = 1;
    model.lasting = { id: 0, ended: () => model.sent.includes(2) };
    await withWorkers(model, () => runToEnd('busy'));
    expect(model.sent).toEqual([1, 2, 0]);

    const other = new LedgerModel('busy-cancelled', { channels: 1, rowsEach: 2 });
    other.delayFromFirstPage(1, 5_000);
    other.busyAt = 1;
    other.lasting = { id: 0, ended: () => other.cancelled };
    await withWorkers(other, async () => {
      const handle = await start('busy-cancelled');
      await other.until(() => other.busyAt === null);
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
    });
    expect(other.sent).not.toContain(1);
  });

  it('sends what is submitted again after its channel was cancelled beside an open create', async () => {
    const model = new LedgerModel('planned-again', { channels: 1, rowsEach: 150 });
    let again = false;
    model.lasting = { id: 0, ended: () => again };
    await withWorkers(model, async () => {
      const handle = await start('planned-again');
      await model.until(() => model.groups.length > 0);
      await env.client.workflow.getHandle('campaign/planned-again/1/channel-0').cancel();
      await model.until(() => model.cancelled);
      model.planAgain();
      again = true;
      await handle.signal('hurry');
      await handle.result();
    });
    expect(model.counts()).toEqual({ published: 150 });
  });

  it('spreads a paced campaign over days by durable timers, no window exceeded and no slot left out', async () => {
    const model = new LedgerModel('days', { channels: 2, rowsEach: 12 });
    const day = 24 * 3_600_000;
    model.pace = { minGapMs: 3_600_000, jitter: 0, maxPer: [{ count: 4, windowMs: day }] };
    await withWorkers(model, () => runToEnd('days'));
    expect(model.counts()).toEqual({ published: 24 });
    for (const channel of ['channel-0', 'channel-1']) {
      const times = model.sentOf(channel);
      for (let at = 1; at < times.length; at += 1) {
        expect(times[at]! - times[at - 1]!).toBeGreaterThanOrEqual(3_600_000);
      }
      for (let at = 4; at < times.length; at += 1) expect(times[at]! - times[at - 4]!).toBeGreaterThanOrEqual(day);
      // Two days and three hours is the least; each wake-up may come a little late.
      expect(times.at(-1)! - times[0]!).toBeLessThan(2 * day + 4 * 3_600_000);
    }
  });

  it('keeps a pause that the service asked for when its history starts anew', async () => {
    const model = new LedgerModel('asked-pause', { channels: 1, rowsEach: 3 });
    const pauseUntil = (await env.currentTimeMs()) + 3_600_000;
    await withWorkers(model, async () => {
      const handle = await env.client.workflow.start('publishChannel', {
        workflowId: 'asked-pause',
        taskQueue: taskQueues('asked-pause').main,
        args: [
          {
            run: { campaign: 'asked-pause', number: 1 },
            ledgerId: 'asked-pause',
            channelId: 'channel-0',
            label: 'channel-0',
            concurrency: 4,
            pauseUntil,
          },
        ],
      });
      // Time is skipped while a result is waited for. Nothing follows the rows here, so the channel waits for more.
      const ended = handle.result().catch(() => undefined);
      await model.until(() => model.sent.length === 3);
      await handle.terminate();
      await ended;
    });
    expect(model.sent).toEqual([0, 1, 2]);
    for (const at of model.sentAt.values()) expect(at).toBeGreaterThanOrEqual(pauseUntil);
  });

  it('lets one row probe while the service can’t be reached, and continues when it can', async () => {
    const model = new LedgerModel('away', { channels: 1, rowsEach: 30 });
    model.unreachableFor(5);
    await withWorkers(model, () => runToEnd('away'));
    expect(model.sent.length).toBe(30);
    // The group that was under way; then one row alone.
    expect(model.probes).toEqual([30, 1, 1, 1, 1]);
  });

  it('counts an outage once, however many creates meet it', async () => {
    const model = new LedgerModel('outage', { channels: 1, rowsEach: 66 });
    // The first group is slow, so that the rest goes in groups of one place each, which meet the outage together.
    model.slow = { id: 0, tookMs: 6_000 };
    model.togetherAway = 5;
    model.awayAfterGroups = 1;
    model.unreachableFor(4);
    await withWorkers(model, () => runToEnd('outage'));
    expect(new Set(model.sent).size).toBe(66);
    const pauses = await timersOf('campaign/outage/1/channel-0', /waiting to try again/u);
    // A pause of 2 s, whose end the later answers put off a little; counted four times it would be 16 s.
    expect(Math.max(...pauses)).toBe(2);
  });

  it('gives all free places to one activity, and each place its own once answers are slow', async () => {
    const model = new LedgerModel('slow', { channels: 1, rowsEach: 90 });
    model.slow = { id: 40, tookMs: 6_000 };
    await withWorkers(model, () => runToEnd('slow'));
    expect(new Set(model.sent).size).toBe(90);
    const wide = { rows: 32, places: 4 };
    const narrow = [2, 8, 8, 8].map((rows) => ({ rows, places: 1 }));
    expect(model.groups.slice(0, 2)).toEqual([wide, wide]);
    // These begin together, in any order.
    expect(model.groups.slice(2).sort((a, b) => a.rows - b.rows)).toEqual(narrow);
  });

  it('sends a few rows one after the other, as what the first meets may stop the others', async () => {
    const model = new LedgerModel('few', { channels: 1, rowsEach: 8 });
    await withWorkers(model, () => runToEnd('few'));
    expect(model.groups).toEqual([{ rows: 8, places: 1 }]);
  });

  it('starts a channel again for rows that go back to be created', async () => {
    const model = new LedgerModel('lost', { channels: 2, rowsEach: 4 });
    model.loseAnswerOf(1);
    await withWorkers(model, () => runToEnd('lost'));
    expect(model.counts()).toEqual({ published: 8 });
  });

  it('wakes a channel that waits for a later row’s time when another row is to be created anew', async () => {
    const model = new LedgerModel('anew', { channels: 1, rowsEach: 3 });
    const began = await env.currentTimeMs();
    model.delay(2, began + 5 * 3_600_000);
    model.loseAnswerOf(1);
    // By then the channel has seen that only the later row is left.
    model.repeatAfterPages = 2;
    await withWorkers(model, () => runToEnd('anew'));
    expect(model.counts()).toEqual({ published: 3 });
    // Its second create; the fallback check of a waiting channel comes after 6 h, and the other row before that.
    expect(model.sentAt.get(1)! - began).toBeLessThan(3_600_000);
  });

  it('wakes a channel that waits for its pace when the pace is changed', async () => {
    const model = new LedgerModel('faster', { channels: 1, rowsEach: 2 });
    model.pace = { minGapMs: 5 * 3_600_000, jitter: 0 };
    const began = await env.currentTimeMs();
    await withWorkers(model, async () => {
      const handle = await start('faster');
      await model.until(() => model.sent.length === 1 && model.pages >= 2);
      model.pace = {};
      await handle.signal('hurry');
      await handle.result();
    });
    expect(model.sentAt.get(1)! - began).toBeLessThan(3_600_000);
  });

  it('wakes what was parked when a look shows that it is well again', async () => {
    const model = new LedgerModel('well', { channels: 2, rowsEach: 2 });
    model.gate = 'parked since noon';
    model.probe = () => model.pages >= 2;
    await withWorkers(model, () => runToEnd('well'));
    expect([model.counts(), model.refusals]).toEqual([{ published: 4 }, 0]);
  });

  it('wakes what another campaign’s look or command opened between two of its watches', async () => {
    const model = new LedgerModel('opened', { channels: 2, rowsEach: 2 });
    model.gate = 'parked since noon';
    let began = 0;
    await withWorkers(model, async () => {
      const handle = await start('opened');
      await model.until(() => model.pages >= 2 && model.heldWatches >= 1);
      began = await env.currentTimeMs();
      model.gate = null;
      await handle.result();
    });
    expect(model.counts()).toEqual({ published: 4 });
    expect(Math.max(...model.sentAt.values()) - began).toBeLessThan(240_000);
  });

  it('takes in a second submission while it runs', async () => {
    const model = new LedgerModel('grow', { channels: 1, rowsEach: 5 });
    model.delay(4, (await env.currentTimeMs()) + 3_600_000);
    await withWorkers(model, async () => {
      const handle = await start('grow');
      await model.until(() => model.sent.length >= 4);
      model.submit(5);
      await handle.signal('submitted');
      await handle.result();
    });
    expect(model.counts()).toEqual({ published: 10 });
  });

  it('keeps its history small, however many channels there are and however often something is submitted', async () => {
    const size = { channels: 20, rowsEach: 1 };
    const submits = 30;
    const model = new LedgerModel('wakes', size);
    let last = false;
    // Keeps the run open, and its time from being skipped.
    model.lasting = { id: 0, ended: () => last };
    const events = await withWorkers(model, async () => {
      const handle = await start('wakes');
      await model.until(() => model.sent.length === size.channels - 1);
      const begun = await historyTypes('campaign/wakes');
      for (let each = 1; each <= submits; each += 1) {
        model.submitToAll();
        await handle.signal('submitted');
        await model.until(() => model.sent.length === size.channels * (each + 1) - 1);
      }
      last = true;
      await handle.result();
      return { begun, all: await historyTypes('campaign/wakes') };
    });
    expect(model.counts()).toEqual({ published: size.channels * (submits + 1) });
    const perSubmit = (events.all - events.begun) / submits;
    const perChannel = events.begun / size.channels;
    // 200 channels × 300 submits: far from the 51,200 events that end a workflow.
    expect(200 * perChannel + 300 * perSubmit).toBeLessThan(10_000);
  });

  it('takes in a submission that comes while it asks which run is open', async () => {
    const model = new LedgerModel('gap', { channels: 1, rowsEach: 0 });
    model.close();
    await withWorkers(model, async () => {
      let began = 0;
      let release: (handle: Awaited<ReturnType<typeof start>>) => void = () => undefined;
      const started = new Promise<Awaited<ReturnType<typeof start>>>((resolve) => (release = resolve));
      model.beforeBegun = async () => {
        began += 1;
        if (began > 1) return;
        const running = await started;
        model.reopen(1);
        await running.signal('submitted');
      };
      const handle = await start('gap');
      release(handle);
      await handle.result();
    });
    expect(model.counts()).toEqual({ published: 1 });
  });

  it('does not end as cancelled when a later run of the same execution was not', async () => {
    const model = new LedgerModel('again', { channels: 1, rowsEach: 2 });
    model.delay(1, (await env.currentTimeMs()) + 3_600_000);
    await withWorkers(model, async () => {
      const handle = await start('again');
      await model.until(() => model.sent.length === 1);
      model.afterFinish = async () => {
        model.afterFinish = null;
        model.reopen(1);
        await handle.signal('submitted');
      };
      await handle.cancel();
      expect(await handle.result()).toMatchObject({ run: 'again.2' });
    });
    expect(model.counts()).toEqual({ published: 2, cancelled: 1 });
  });

  it('makes a cancel in the Web UI a gate in the ledger, follows what is live, and ends as cancelled', async () => {
    const model = new LedgerModel('stop', { channels: 2, rowsEach: 5 });
    model.delay(4, (await env.currentTimeMs()) + 3_600_000);
    model.delay(9, (await env.currentTimeMs()) + 3_600_000);
    await withWorkers(model, async () => {
      const handle = await start('stop');
      await model.until(() => model.sent.length >= 8);
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
      expect((await handle.describe()).status.name).toBe('CANCELLED');
    });
    expect(model.cancelled).toBe(true);
    expect(model.counts()).toEqual({ published: 8, cancelled: 2 });
  });

  it('ends after a cancel that came during a look at the ledger, without waiting for the row that it cancelled', async () => {
    const model = new LedgerModel('overtaken', { channels: 1, rowsEach: 2 });
    model.delay(1, (await env.currentTimeMs()) + 3_600_000);
    await withWorkers(model, async () => {
      const handle = await start('overtaken');
      model.afterWatch = async () => {
        model.afterWatch = null;
        await handle.cancel();
        await model.until(() => model.cancelled);
      };
      await expect(handle.result()).rejects.toThrow();
    });
    expect(model.counts()).toEqual({ published: 1, cancelled: 1 });
    expect(await timersOf('campaign/overtaken', /waiting for the next row/u)).toEqual([]);
  });

  it('follows what was submitted during a look at the ledger, without waiting for the row that was next before', async () => {
    const model = new LedgerModel('joined', { channels: 1, rowsEach: 2 });
    const later = (await env.currentTimeMs()) + 3_600_000;
    model.delay(1, later);
    await withWorkers(model, async () => {
      const handle = await start('joined');
      model.afterWatch = async () => {
        model.afterWatch = null;
        model.submit(1);
        await handle.signal('submitted');
        await model.until(() => model.sent.length === 2);
      };
      await handle.result();
    });
    expect(model.counts()).toEqual({ published: 3 });
    expect(model.publishedAt.get(2)).toBeLessThan(later);
  });

  it('hears a cancel of a channel that comes with the end of the last create its new history waits for', async () => {
    const model = new LedgerModel('cancel-anew', { channels: 1, rowsEach: 2 });
    model.delay(1, (await env.currentTimeMs()) + 3_600_000);
    let over = false;
    model.lasting = { id: 0, ended: () => over };
    const id = 'cancel-anew/channel-0';
    const channel = env.client.workflow.getHandle(id);
    const { takePage, createPublications, cancelRun } = model.activities(
      () => env.currentTimeMs(),
      async () => undefined,
    );
    const common = { connection: env.nativeConnection, taskQueue: taskQueues('cancel-anew').main };
    const activities = await Worker.create({ ...common, activities: { takePage, cancelRun } });
    const sending = await Worker.create({
      ...common,
      taskQueue: taskQueues('cancel-anew').create,
      activities: { createPublications },
    });
    // Workflows have workers of their own: while there is none, what happens waits together.
    const decideMeanwhile = async (work: () => Promise<void>): Promise<void> => {
      const worker = await Worker.create({ ...common, workflowBundle: bundle, maxCachedWorkflows: 0 });
      await worker.runUntil(work);
    };
    const endedCreates = async (): Promise<number> => {
      const { events } = await channel.fetchHistory();
      const created = (events ?? []).filter(
        ({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name === 'createPublications',
      );
      const ids = new Set(created.map(({ eventId }) => String(eventId)));
      return (events ?? []).filter(({ activityTaskCompletedEventAttributes: of }) =>
        ids.has(String(of?.scheduledEventId)),
      ).length;
    };
    const running = Promise.all([activities.run(), sending.run()]);
    stopWorkers = async () => {
      stopWorkers = null;
      over = true;
      activities.shutdown();
      sending.shutdown();
      await running;
    };
    await env.client.workflow.start('publishChannel', {
      workflowId: id,
      taskQueue: common.taskQueue,
      args: [
        {
          run: { campaign: 'cancel-anew', number: 1 },
          ledgerId: 'cancel-anew',
          channelId: 'channel-0',
          label: 'channel-0',
          concurrency: 1,
        },
      ],
    });
    await decideMeanwhile(() => model.until(() => model.groups.length === 1));
    // A history so long that the channel waits for the open create and then begins a new one.
    for (let at = 0; at < 1_100; at += 100)
      await Promise.all(Array.from({ length: 100 }, () => channel.signal('hurry')));
    const before = await historyTypes(id);
    await decideMeanwhile(async () => {
      while ((await historyTypes(id)) < before + 3) await new Promise((resolve) => setTimeout(resolve, 50));
    });
    await channel.cancel();
    over = true;
    while ((await endedCreates()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const { pages } = model;
    // A page may have been asked for before; another one is read only by a history that knows of no cancel.
    await decideMeanwhile(() => model.until(() => model.cancelled || model.pages > pages + 1));
    expect([model.cancelled, model.sent, model.counts()]).toEqual([true, [0], { processing: 1, cancelled: 1 }]);
    await channel.terminate();
  });

  it('has every activity of a run noticed by its heartbeats when its worker dies', async () => {
    const model = new LedgerModel('beats', { channels: 1, rowsEach: 2 });
    await withWorkers(model, () => runToEnd('beats'));
    const beats = new Map<string, number>();
    for (const id of ['campaign/beats', 'campaign/beats/1/channel-0']) {
      const { events } = await env.client.workflow.getHandle(id).fetchHistory();
      for (const { activityTaskScheduledEventAttributes: scheduled } of events ?? [])
        if (scheduled) beats.set(scheduled.activityType?.name ?? '', Number(scheduled.heartbeatTimeout?.seconds ?? 0));
    }
    const some = ['beginRun', 'importManifest', 'takePage', 'createPublications', 'watchPublications', 'finishRun'];
    expect([...beats.keys()]).toEqual(expect.arrayContaining(some));
    // Heartbeats go out every 5 s: some may be late.
    for (const [name, seconds] of beats) expect([name, seconds >= 15 && seconds <= 60]).toEqual([name, true]);
  });

  it('stops when a later run has taken the campaign over', async () => {
    const model = new LedgerModel('over', { channels: 1, rowsEach: 5 });
    model.delay(4, (await env.currentTimeMs()) + 3_600_000);
    await withWorkers(model, async () => {
      const handle = await start('over');
      await model.until(() => model.sent.length >= 4);
      model.supersede();
      await handle.signal('hurry');
      await handle.result();
    });
    expect(model.sent.length).toBe(4);
  });

  it('ends as failed where rows went wrong: how many, the first of them, and the next command', async () => {
    const model = new LedgerModel('wrong', { channels: 1, rowsEach: 6 });
    for (const id of [1, 2, 3, 4]) model.failing.add(id);
    await withWorkers(model, async () => {
      const handle = await start('wrong');
      const error: unknown = await handle.result().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        cause: {
          type: 'RowsWentWrong',
          nonRetryable: true,
          message:
            'wrong.1: 4 of 6 rows went wrong: row 1 · Title (channel-0): failed, service-failed; row 2 · Title (channel-0): failed, service-failed; ' +
            'row 3 · Title (channel-0): failed, service-failed; and 1 more. Next: reelay results wrong.1 --state failed -o csv --out corrected.csv',
          details: [expect.objectContaining({ run: 'wrong.1', wrong: 4, counts: { failed: 4, published: 2 } })],
        },
      });
      expect((await handle.describe()).status.name).toBe('FAILED');
      // The next submission starts it again: nothing of the failed one is in its way, and nothing retries it
      // automatically.
      const described = await handle.describe();
      expect(described.raw.workflowExtendedInfo?.runExpirationTime ?? null).toBeNull();
    });
    expect(model.sent.length).toBe(6);
  });

  it('fails with a reason, instead of repeating a broken task for ever', async () => {
    const model = new LedgerModel('broken', { channels: 1, rowsEach: 2 });
    model.breakImport();
    await withWorkers(model, async () => {
      const handle = await start('broken');
      await expect(handle.result()).rejects.toThrow();
      expect((await handle.describe()).status.name).toBe('FAILED');
    });
  });
});

describe('a channel with many rows', () => {
  it('continues as new after draining, and creates each row once', async () => {
    const model = new LedgerModel('long', { channels: 1, rowsEach: 6_000 });
    await withWorkers(model, () => runToEnd('long'));
    expect(model.sent.length).toBe(6_000);
    expect(new Set(model.sent).size).toBe(6_000);
    const executions = await env.client.workflow.getHandle('campaign/long/1/channel-0').fetchHistory();
    const started = executions.events?.[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.continuedExecutionRunId).not.toBe('');
  });
});
