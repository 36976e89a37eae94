import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { taskQueues } from '../workflows/ids';

/** Workers that polled this ledger's queue for workflow tasks within the last 90 s. */
export async function countPollers(client: Client, ledgerId: string): Promise<number> {
  const answer = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueues(ledgerId).main },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  const recent = Date.now() - 90_000;
  return answer.pollers.filter((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1_000 > recent).length;
}
