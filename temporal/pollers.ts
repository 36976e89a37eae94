import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { filesQueue, taskQueues } from '../workflows/ids';

/** A worker that polls a ledger's queue, as Temporal knows it. */
export interface Poller {
  /** `reelay/VERSION PID@HOST` */
  identity: string;
  /** Of its last poll, ms since the epoch. */
  at: number;
}

/** A poll takes up to a minute, so a polling worker is seen at least this often, ms. */
const RECENT_MS = 90_000;

const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

/** Workers that polled this ledger's queue for workflow tasks within the last 90 s. */
export async function recentPollers(client: Client, ledgerId: string): Promise<Poller[]> {
  return pollersOf(client, taskQueues(ledgerId).main, TASK_QUEUE_TYPE_WORKFLOW);
}

/** The hosts among these whose files no worker polled for within the last 90 s. */
export async function unservedFilesHosts(
  client: Client,
  ledgerId: string,
  hosts: readonly string[],
): Promise<string[]> {
  const unserved: string[] = [];
  for (const host of hosts) {
    const pollers = await pollersOf(client, filesQueue(ledgerId, host), TASK_QUEUE_TYPE_ACTIVITY);
    if (pollers.length === 0) unserved.push(host);
  }
  return unserved;
}

async function pollersOf(
  client: Client,
  queue: string,
  taskQueueType: temporal.api.enums.v1.TaskQueueType,
): Promise<Poller[]> {
  const answer = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType,
  });
  return answer.pollers
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      at: Number(lastAccessTime?.seconds ?? 0) * 1_000,
    }))
    .filter(({ at }) => Date.now() - at < RECENT_MS);
}

export async function countPollers(client: Client, ledgerId: string): Promise<number> {
  return (await recentPollers(client, ledgerId)).length;
}
