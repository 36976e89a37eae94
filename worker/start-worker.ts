import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'node:util';
import { Client } from '@temporalio/client';
import {
  GracefulShutdownPeriodExpiredError,
  IllegalStateError,
  NativeConnection,
  Runtime,
  DefaultLogger,
  makeTelemetryFilterString,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { createActivities } from '../activities/create-activities';
import { type AccountRegistry } from '../service/accounts';
import { type Log } from '../activities/deps';
import { type NoticeSettings } from '../activities/notices/find-notices';
import { AttemptClock, PROCESS_CLOCKS } from '../activities/reconcile/attempt-clock';
import { Spool } from '../activities/publish/spool';
import { type Timings } from '../activities/timings';
import { isDamage } from '../ledger/model/damage';
import {
  LedgerNotDurableError,
  LedgerReplacedError,
  LedgerRolledBackError,
  WorkerForgottenError,
  WorkerUnknownError,
} from '../ledger/model/errors';
import { type Ledger } from '../ledger/ledger';
import { type WorkerIdentity } from '../ledger/model/attempt-types';
import { filesQueue, taskQueues } from '../workflows/ids';
import { TemporalUnreachableError, type TemporalOptions } from '../temporal/connect';
import { healthTrouble, serveHealth } from './health';
import { meterLedger } from './metrics';
import { startTraces } from './traces';
import { holdWorkerLock, isWorkerAlive } from '../host/worker-lock';
import { dataConverterFor } from '../temporal/payload-codec';
import { wakeChannels } from '../temporal/campaigns';
import { createScheduleServer } from '../temporal/schedule-server';

export interface StartWorkerOptions {
  temporal: TemporalOptions;
  ledger: Ledger;
  accounts: AccountRegistry;
  identity: WorkerIdentity;
  /** Of this program; Temporal shows it with the worker. */
  version: string;
  timings: Timings;
  /** Folder for outcomes that the ledger can't take, beside the ledger; the locks of workers are next to it. */
  spoolFolder: string;
  accountConcurrency: number;
  /** The build that it is, for a Temporal that sends each workflow to the build it belongs to; none: it takes any. */
  deployment?: { name: string; buildId: string };
  /** Creates by URL at once in this process. */
  creates?: number;
  /** Uploads at once in this process. */
  uploads?: number;
  /** Where several hosts share the ledger: the name of the one whose files this worker has. */
  filesHost?: string;
  /** How long open activities may take to end when the worker stops, ms. */
  graceMs?: number;
  /** How long after that an activity may still take before the worker ends without it, ms. */
  stuckMs?: number;
  log: Log;
  /** Who is told of runs and firings. */
  notices?: NoticeSettings;
  /** Hosts of the operator's own network that a manifest from a URL may name. */
  privateHosts?: readonly string[];
  /** Where Prometheus reads the metrics of this process, host:port; none without it. */
  metricsAddress?: string;
  /** Where its health is served, host:port; nowhere without it. */
  healthAddress?: string;
  /** Spans of its workflows and activities are sent (`startTraces`). */
  traces?: boolean;
}

export interface RunningWorker {
  /** Resolves when it has stopped; rejects when it failed. */
  done: Promise<void>;
  /** Claims nothing more, lets what is open end, then stops. */
  stop(): Promise<void>;
}

/** An activity didn't end when the worker stopped: the worker ended without it. What it had claimed is settled by the next one. */
export class WorkerStuckError extends Error {
  override readonly name = 'WorkerStuckError';
  readonly code = 'worker-stuck';

  constructor(afterMs: number, options?: ErrorOptions) {
    super(
      `an activity did not end within ${String(afterMs / 1_000)} s of the stop; the worker ended without it`,
      options,
    );
  }
}

/**
 * Limits set on purpose: 100 creates, 50 reads and writes of the ledger, 4 uploads, 200 watches at once; 300 workflows cached (each
 * small), which is more than the channels of a full account, 200, and their campaign: fewer would replay them in turn; a cancel reaches an activity within 5 s (heartbeat throttle).
 */
const CREATES = 100;
const CONTROLS = 50;
const UPLOADS = 4;
const WATCHES = 200;
const CACHED_WORKFLOWS = 300;
const HEARTBEAT_THROTTLE = '5 seconds';
/** Heartbeats of watches carry the ledger's number: what was sent since the last one is what a restored copy may hide. */
const WATCH_HEARTBEAT_THROTTLE = '1 second';
const GRACE_MS = 10_000;
/**
 * After the grace, an activity that still doesn't end is left behind, ms: longer than a ledger that is away is waited for, so that no
 * answer in hand is dropped.
 */
const STUCK_MS = 3 * 60_000;
/** How often the ledger hears that this worker lives, ms. */
const SEEN_MS = 5_000;

export async function startWorker(options: StartWorkerOptions): Promise<RunningWorker> {
  const { temporal } = options;
  const traces = options.traces === true ? await startTraces(options.version) : null;
  installRuntime(options.log, options.metricsAddress);
  const metered =
    options.metricsAddress === undefined ? null : meterLedger(options.ledger, Runtime.instance().metricMeter);
  const ledger = metered?.ledger ?? options.ledger;
  const queues = taskQueues(ledger.id);
  let connection: NativeConnection;
  try {
    connection = await NativeConnection.connect({ ...temporal.connection, address: temporal.address });
  } catch (error) {
    throw new TemporalUnreachableError(temporal.address, temporal.namespace, 'the worker can’t connect', {
      cause: error,
    });
  }
  // Before the ledger knows this worker: whoever reads of it there finds its lock held.
  const lockFolder = join(dirname(options.spoolFolder), 'workers');
  holdWorkerLock(lockFolder);
  await ledger.registerWorker(options.identity);
  const stopping = new AbortController();
  const processState = (worker: WorkerIdentity) =>
    isWorkerAlive(lockFolder, worker, { severalHosts: ledger.severalHosts });
  const encryption = dataConverterFor(temporal.payloadKeys);
  const client = new Client({ connection, namespace: temporal.namespace, ...encryption });
  const activities = createActivities(
    {
      ledger,
      accounts: options.accounts,
      worker: options.identity,
      processState,
      timings: options.timings,
      stopping: stopping.signal,
      log: options.log,
      ...(options.notices === undefined ? {} : { notices: options.notices }),
      ...(options.privateHosts === undefined ? {} : { privateHosts: options.privateHosts }),
      ...(options.filesHost === undefined ? {} : { filesHost: options.filesHost }),
      now: ledger.now,
      clock: new AttemptClock({ ...PROCESS_CLOCKS, wall: ledger.now }),
    },
    {
      spoolFolder: options.spoolFolder,
      accountConcurrency: options.accountConcurrency,
      wakeChannels: (workflowIds) => wakeChannels(client, workflowIds),
      schedules: createScheduleServer(client, ledger),
    },
  );
  const graceMs = options.graceMs ?? GRACE_MS;
  const endsWithinMs = graceMs + (options.stuckMs ?? STUCK_MS);
  // The whole id: the hosts' ids of two containers differ only after their first characters.
  const identity = `reelay/${options.version} ${options.identity.pid}@${options.identity.hostId}`;
  const common: Pick<
    WorkerOptions,
    | 'connection'
    | 'namespace'
    | 'identity'
    | 'maxHeartbeatThrottleInterval'
    | 'shutdownGraceTime'
    | 'shutdownForceTime'
    | 'workerDeploymentOptions'
    | 'dataConverter'
    | 'plugins'
  > = {
    connection,
    namespace: temporal.namespace,
    identity,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    shutdownGraceTime: graceMs,
    shutdownForceTime: endsWithinMs,
    ...deploymentOf(options),
    ...encryption,
    ...(traces === null ? {} : { plugins: traces.plugins }),
  };
  const { watchPublications, createPublications, awaitRun, ...control } = activities;
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: queues.main,
      ...workflowSource({
        versioned: options.deployment !== undefined,
        changed: temporal.payloadKeys !== undefined || traces !== null,
      }),
      // Creates too, as those of before they had a queue of their own may still be in this one.
      activities: { ...control, createPublications },
      maxConcurrentActivityTaskExecutions: CONTROLS,
      maxCachedWorkflows: CACHED_WORKFLOWS,
    }),
    Worker.create({
      ...common,
      taskQueue: queues.create,
      activities: { createPublications },
      maxConcurrentActivityTaskExecutions: options.creates ?? CREATES,
    }),
    // Uploads that name no host are those of a ledger in a file, or of before there were several hosts.
    ...[queues.upload, ...(options.filesHost === undefined ? [] : [filesQueue(ledger.id, options.filesHost)])].map(
      (taskQueue) =>
        Worker.create({
          ...common,
          taskQueue,
          activities: { createPublications },
          maxConcurrentActivityTaskExecutions: options.uploads ?? UPLOADS,
        }),
    ),
    Worker.create({
      ...common,
      taskQueue: queues.watch,
      maxHeartbeatThrottleInterval: WATCH_HEARTBEAT_THROTTLE,
      activities: { watchPublications, awaitRun },
      maxConcurrentActivityTaskExecutions: WATCHES,
    }),
  ]);

  const count = (): void => {
    metered?.countRows().catch((error: unknown) => {
      options.log.warn('rows can’t be counted', { error: String(error) });
    });
  };
  count();
  let broken: Error | undefined;
  let written: { writtenAt: number; trouble: string | null } = { writtenAt: Date.now(), trouble: null };
  /** What dead workers of this host leave open keeps places, and the watch of its run may be on a host that can't see that they are dead. */
  const endDead = async (): Promise<void> => {
    const open = (await ledger.openAttempts()).filter(({ worker }) => worker.id !== options.identity.id);
    const dead = open.filter(({ worker }) => processState(worker) === 'dead');
    // Its answers may be in this host's spool.
    if (dead.length > 0) await new Spool(options.spoolFolder).drainInto(ledger, options.log);
    for (const { rowId, attempt } of dead) await ledger.endDeadAttempt(rowId, attempt);
  };
  const beat = async (): Promise<void> => {
    try {
      await ledger.workerSeen(options.identity.id);
      written = { writtenAt: Date.now(), trouble: null };
      await endDead();
    } catch (error) {
      written = { ...written, trouble: String(error) };
      options.log.warn('the ledger can’t be written', { error: String(error) });
      if (!endsWriting(error)) return;
      // It would be asked for work for ever, and do none.
      broken = error;
      stopAll();
    }
  };
  const seen = setInterval(() => {
    void beat();
    count();
  }, SEEN_MS);
  const sources = {
    client,
    ledgerId: ledger.id,
    identity,
    beatMs: SEEN_MS,
    ledger: () => written,
    isStopping: () => stopping.signal.aborted,
  };
  const closeHealth =
    options.healthAddress === undefined ? null : await serveHealth(options.healthAddress, () => healthTrouble(sources));
  const running = workers.map((worker) => worker.run());
  const stopAll = () => {
    stopping.abort();
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // When one of them fails, the others stop too: half a worker would look alive and do half the work.
  for (const run of running) run.catch(stopAll);
  const done = Promise.allSettled(running).then(async (outcomes) => {
    clearInterval(seen);
    await closeHealth?.();
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    // The native half of one that is stuck still holds the connection.
    if (failures.some(({ reason }) => isStuck(reason))) throw new WorkerStuckError(endsWithinMs);
    await connection.close();
    await traces?.stop().catch((error: unknown) => {
      options.log.warn('traces can’t be sent', { error: String(error) });
    });
    if (failures[0] !== undefined) throw failures[0].reason;
    if (broken !== undefined) throw broken;
  });
  return {
    done,
    async stop() {
      stopAll();
      await done;
    },
  };
}

/** The SDK's own error for it is mostly hidden by the one of its native half, which an open poll or completion still uses. */
function isStuck(error: unknown): boolean {
  if (error instanceof GracefulShutdownPeriodExpiredError) return true;
  return error instanceof IllegalStateError && error.message.includes('still in use');
}

/** After these a process writes nothing more to the ledger. */
function endsWriting(error: unknown): error is Error {
  return (
    error instanceof WorkerForgottenError ||
    error instanceof WorkerUnknownError ||
    error instanceof LedgerNotDurableError ||
    error instanceof LedgerRolledBackError ||
    error instanceof LedgerReplacedError ||
    isDamage(error)
  );
}

/** `workflows/versioned` says which workflows move between builds; all others stay on their own. */
function deploymentOf({ deployment }: StartWorkerOptions): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (deployment === undefined) return {};
  const version = { deploymentName: deployment.name, buildId: deployment.buildId };
  return { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } };
}

/** The bundle made by the build. From source (tests), and with a converter or interceptors of its own, it is bundled at start. */
function workflowSource({
  versioned,
  changed,
}: {
  versioned: boolean;
  changed: boolean;
}): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const codePath = join(__dirname, '..', versioned ? 'workflow-bundle-versioned.js' : 'workflow-bundle.js');
  if (!changed && existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: require.resolve(versioned ? '../workflows/versioned' : '../workflows') };
}

let installed = false;

/** The SDK's own lines go through our logger; it installs once a process. */
function installRuntime(log: Log, metricsAddress: string | undefined): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('DEBUG', ({ level, message, meta }) => {
      const write = level === 'ERROR' ? log.error : level === 'WARN' ? log.warn : log.debug;
      write(message, { from: 'temporal', ...(meta === undefined ? {} : pickFields(meta)) });
    }),
    // Signals are the command's business: it stops the worker in order.
    shutdownSignals: [],
    telemetryOptions: {
      // Its native half too; below warnings it tells of every poll.
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metricsAddress === undefined
        ? {}
        : { metrics: { prometheus: { bindAddress: metricsAddress, countersTotalSuffix: true } } }),
    },
  });
}

const SHOWN = ['error', 'workflowId', 'activityId', 'activityType', 'taskQueue', 'channel', 'attempt'];

function pickFields(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    SHOWN.flatMap((name) => (meta[name] === undefined ? [] : [[name, format('%s', meta[name])]])),
  );
}
