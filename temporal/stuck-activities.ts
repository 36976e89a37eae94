import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { campaignWorkflowId } from '../workflows/ids';

/** An activity of a campaign that has failed and is retried. */
export interface StuckActivity {
  /** Its name in the code: `importManifest`. */
  activity: string;
  /** Attempts so far. */
  tries: number;
  /** Of the last failed try. */
  error: string;
}

/**
 * Number of channels that are checked individually; if one of them cannot continue, the others mostly can't for the
 * same reason.
 */
const CHANNELS_ASKED = 10;
const TEXT_AT_MOST = 500;

/** Activities of a campaign's running workflows whose last attempt failed, each kind once. */
export async function stuckActivities(client: Client, campaign: string): Promise<StuckActivity[]> {
  const parent = await pendingOf(client, campaignWorkflowId(campaign));
  const channels = parent.children.slice(0, CHANNELS_ASKED);
  const children = await Promise.all(channels.map((id) => pendingOf(client, id)));
  const found = new Map<string, StuckActivity>();
  for (const stuck of [parent, ...children].flatMap(({ failing }) => failing)) {
    const name = `${stuck.activity}\n${stuck.error}`;
    if ((found.get(name)?.tries ?? 0) < stuck.tries) found.set(name, stuck);
  }
  return [...found.values()];
}

async function pendingOf(
  client: Client,
  workflowId: string,
): Promise<{ failing: StuckActivity[]; children: string[] }> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const failing: StuckActivity[] = [];
    for (const { activityType, attempt, lastFailure } of raw.pendingActivities ?? []) {
      const failure = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, lastFailure);
      const error = failure?.message ?? '';
      if (error === '') continue;
      failing.push({
        activity: activityType?.name ?? '',
        tries: (attempt ?? 1) - 1,
        error: error.slice(0, TEXT_AT_MOST),
      });
    }
    return { failing, children: (raw.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { failing: [], children: [] };
    throw error;
  }
}
