import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { taskQueues } from '../workflows/ids';

/** A worker that polls a ledger's queue, as Temporal knows it. */
export interface Poller {
  /** `reelay/VERSION PID@HOST` */
  identity: string;
  /** Of its last poll, ms since the epoch. */
  at: number;
}

/** A poll takes up to a minute, so a worker that polls is seen at least this often, ms. */
const RECENT_MS = 90_000;

/** Workers that polled this ledger's queue for workflow tasks within the last 90 s. */
export async function recentPollers(client: Client, ledgerId: string): Promise<Poller[]> {
  const answer = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueues(ledgerId).main },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
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
