import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { type createActivities } from '../activities/create-activities';
import { filesQueue, taskQueues } from '../workflows/ids';

/**
 * Limits: 100 creates, 50 reads and writes of the ledger, 4 uploads, 200 watches at once; 300 cached workflows (each
 * small), which is more than the channels of a full account, 200, and their campaign: with fewer they would have to be
 * replayed in turn; a cancel reaches an activity within 5 s (heartbeat throttle).
 */
const CREATES = 100;
const CONTROLS = 50;
const UPLOADS = 4;
const WATCHES = 200;
const CACHED_WORKFLOWS = 300;
const HEARTBEAT_THROTTLE = '5 seconds';
/**
 * Heartbeats of watches carry the ledger's sequence number: a restored copy can hide only what was sent since the last
 * one.
 */
const WATCH_HEARTBEAT_THROTTLE = '1 second';

interface QueueOptions {
  /** Of the ledger: task queues carry it. */
  ledgerId: string;
  activities: ReturnType<typeof createActivities>;
  /** The same for all of them. */
  common: Partial<WorkerOptions>;
  /** The workflows that the build bundled aren't those that this worker runs: their payloads or interceptors are its own. */
  ownBundle: boolean;
  deployment: { name: string; buildId: string } | undefined;
  creates: number | undefined;
  uploads: number | undefined;
  filesHost: string | undefined;
}

/** A worker of the SDK for each task queue: one process polls all of them. */
export function createWorkers(options: QueueOptions): Promise<Worker[]> {
  const { ledgerId, deployment, filesHost, creates = CREATES, uploads = UPLOADS } = options;
  const queues = taskQueues(ledgerId);
  const { watchPublications, createPublications, awaitRun, ...control } = options.activities;
  const worker = (taskQueue: string, atOnce: number, own: Partial<WorkerOptions>) =>
    Worker.create({
      maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
      ...options.common,
      ...deploymentOf(deployment),
      ...own,
      taskQueue,
      maxConcurrentActivityTaskExecutions: atOnce,
    });
  return Promise.all([
    worker(queues.main, CONTROLS, {
      ...workflowSource({ versioned: deployment !== undefined, changed: options.ownBundle }),
      // Creates too, because creates of earlier versions, which had no separate queue, may still be in this one.
      activities: { ...control, createPublications },
      maxCachedWorkflows: CACHED_WORKFLOWS,
    }),
    worker(queues.create, creates, { activities: { createPublications } }),
    // Uploads without a host belong to a ledger in a file, or to a version before several hosts were supported.
    ...[queues.upload, ...(filesHost === undefined ? [] : [filesQueue(ledgerId, filesHost)])].map((queue) =>
      worker(queue, uploads, { activities: { createPublications } }),
    ),
    worker(queues.watch, WATCHES, {
      maxHeartbeatThrottleInterval: WATCH_HEARTBEAT_THROTTLE,
      activities: { watchPublications, awaitRun },
    }),
  ]);
}

/** `workflows/versioned` declares which workflows move between builds; all others stay on their own. */
function deploymentOf(deployment: QueueOptions['deployment']): Pick<WorkerOptions, 'workerDeploymentOptions'> {
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
