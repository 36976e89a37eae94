import { dirname, join } from 'node:path';
import { Client } from '@temporalio/client';
import { GracefulShutdownPeriodExpiredError, IllegalStateError, NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../activities/create-activities';
import { type AccountRegistry } from '../service/accounts';
import { type Log } from '../activities/deps';
import { type NoticeSettings } from '../activities/notices/find-notices';
import { AttemptClock, PROCESS_CLOCKS } from '../activities/reconcile/attempt-clock';
import { Spool } from '../activities/publish/spool/spool';
import { type Timings } from '../activities/timings';
import { type Ledger } from '../ledger/ledger';
import { type WorkerIdentity } from '../ledger/model/attempt-types';
import { TemporalUnreachableError, type TemporalOptions } from '../temporal/connect';
import { BEAT_MS, Pulse } from './pulse';
import { installRuntime } from './runtime';
import { createWorkers } from './task-queue-workers';
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
  /** The program's version; Temporal shows it with the worker. */
  version: string;
  timings: Timings;
  /** Folder for outcomes that can't be written to the ledger, beside the ledger; the locks of workers are next to it. */
  spoolFolder: string;
  accountConcurrency: number;
  /** Its build, for a Temporal that sends each workflow to the build it belongs to; none: it takes any. */
  deployment?: { name: string; buildId: string };
  /** Concurrent creates by URL in this process. */
  creates?: number;
  /** Concurrent uploads in this process. */
  uploads?: number;
  /** If several hosts share the ledger: the name of the host whose files this worker has. */
  filesHost?: string;
  /** How long open activities may take to end when the worker stops, ms. */
  graceMs?: number;
  /** How long after that an activity may still take before the worker exits without it, ms. */
  stuckMs?: number;
  log: Log;
  /** Who is notified of runs and firings. */
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
  /** Claims nothing more, lets open requests finish, then stops. */
  stop(): Promise<void>;
}

/**
 * An activity didn't end when the worker stopped, so the worker exited without it. The next worker settles the rows
 * that it had claimed.
 */
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

const GRACE_MS = 10_000;
/**
 * After the grace period, an activity that still doesn't end is abandoned, ms: longer than the wait for an unreachable
 * ledger, so that no answer is dropped.
 */
const STUCK_MS = 3 * 60_000;

export async function startWorker(options: StartWorkerOptions): Promise<RunningWorker> {
  const { temporal } = options;
  const traces = options.traces === true ? await startTraces(options.version) : null;
  installRuntime(options.log, options.metricsAddress);
  const metered =
    options.metricsAddress === undefined ? null : meterLedger(options.ledger, Runtime.instance().metricMeter);
  const ledger = metered?.ledger ?? options.ledger;
  let connection: NativeConnection;
  try {
    connection = await NativeConnection.connect({ ...temporal.connection, address: temporal.address });
  } catch (error) {
    throw new TemporalUnreachableError(temporal.address, temporal.namespace, 'the worker can’t connect', {
      cause: error,
    });
  }
  // Before the ledger knows this worker: any process that reads of it there finds its lock held.
  const lockFolder = join(dirname(options.spoolFolder), 'workers');
  holdWorkerLock(lockFolder);
  await ledger.registerWorker(options.identity);
  const stopping = new AbortController();
  const processState = (worker: WorkerIdentity) =>
    isWorkerAlive(lockFolder, worker, { severalHosts: ledger.severalHosts });
  const spool = new Spool(options.spoolFolder);
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
      spool,
      accountConcurrency: options.accountConcurrency,
      wakeChannels: (workflowIds) => wakeChannels(client, workflowIds),
      schedules: createScheduleServer(client, ledger),
    },
  );
  const graceMs = options.graceMs ?? GRACE_MS;
  const endsWithinMs = graceMs + (options.stuckMs ?? STUCK_MS);
  // The whole id: the hosts' ids of two containers differ only after their first characters.
  const identity = `reelay/${options.version} ${options.identity.pid}@${options.identity.hostId}`;
  const workers = await createWorkers({
    ledgerId: ledger.id,
    activities,
    common: {
      connection,
      namespace: temporal.namespace,
      identity,
      shutdownGraceTime: graceMs,
      shutdownForceTime: endsWithinMs,
      ...encryption,
      ...(traces === null ? {} : { plugins: traces.plugins }),
    },
    ownBundle: temporal.payloadKeys !== undefined || traces !== null,
    deployment: options.deployment,
    creates: options.creates,
    uploads: options.uploads,
    filesHost: options.filesHost,
  });

  const count = (): void => {
    metered?.countRows().catch((error: unknown) => {
      options.log.warn('rows can’t be counted', { error: String(error) });
    });
  };
  count();
  const counting = metered === null ? undefined : setInterval(count, BEAT_MS);
  let broken: Error | undefined;
  const pulse = new Pulse({
    ledger,
    identity: options.identity,
    processState,
    spool,
    log: options.log,
    onBroken: (error) => {
      broken = error;
      stopAll();
    },
  });
  const sources = {
    client,
    ledgerId: ledger.id,
    identity,
    beatMs: BEAT_MS,
    ledger: () => pulse.written,
    isStopping: () => stopping.signal.aborted,
  };
  const closeHealth =
    options.healthAddress === undefined ? null : await serveHealth(options.healthAddress, () => healthTrouble(sources));
  const running = workers.map((worker) => worker.run());
  const stopAll = () => {
    stopping.abort();
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // If one of them fails, the others stop too: half a worker would look alive and do half the work.
  for (const run of running) run.catch(stopAll);
  const done = Promise.allSettled(running).then(async (outcomes) => {
    pulse.stop();
    clearInterval(counting);
    await closeHealth?.();
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    // The native part of a stuck one still holds the connection.
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

/** The SDK's own error for it is mostly hidden by that of its native part, which an open poll or completion still uses. */
function isStuck(error: unknown): boolean {
  if (error instanceof GracefulShutdownPeriodExpiredError) return true;
  return error instanceof IllegalStateError && error.message.includes('still in use');
}
