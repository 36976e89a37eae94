import { executeChild, proxyActivities } from '@temporalio/workflow';
import { type ReelayActivities } from '../../activities/contract';
import { type RunRef } from '../../ledger/model/types';

interface PollActivities {
  pollPublication(input: { rowId: number }): Promise<void>;
}

const { createPublications } = proxyActivities<ReelayActivities>({
  startToCloseTimeout: '10 minutes',
  retry: { maximumAttempts: 1 },
});
const { pollPublication } = proxyActivities<PollActivities>({ startToCloseTimeout: '10 minutes' });

/** The usual pattern: one child workflow per video, a window of them open, an activity to create and one to poll. */
export async function perVideoCampaign(input: {
  run: RunRef;
  rows: { id: number; channelId: string }[];
}): Promise<void> {
  const queue = [...input.rows];
  const lanes = Array.from({ length: 100 }, async () => {
    for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
      await executeChild(perVideo, { args: [{ run: input.run, ...row }], workflowId: `video/${row.id}` });
    }
  });
  await Promise.all(lanes);
}

export async function perVideo(input: { run: RunRef; id: number; channelId: string }): Promise<void> {
  await createPublications({ run: input.run, channelId: input.channelId, rowIds: [input.id] });
  await pollPublication({ rowId: input.id });
}
