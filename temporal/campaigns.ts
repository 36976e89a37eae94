import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { LedgerRewoundError } from '../ledger/model/errors';
import { type RunRef } from '../ledger/model/types';
import { campaignWorkflowId, SANDBOX_NAMESPACE, taskQueues } from '../workflows/ids';
import { hurrySignal, submittedSignal } from '../workflows/messages';
import { type publishCampaign } from '../workflows/publish-campaign';

export interface StartCampaignInput {
  run: RunRef;
  ledgerId: string;
  /** The ledger's number now, for the memo; and its place, for the error. */
  sequence: number;
  location: string;
  /** File name and hash, for the memo. */
  manifest: { name: string; hash: string };
  rows?: number;
  startedBy: string;
}

const campaignKey = defineSearchAttributeKey('ReelayCampaign', 'KEYWORD');

/**
 * Starts the campaign's workflow, or tells the running one that something was submitted. What was submitted stands in
 * the ledger already; the signal only hurries. Needs no worker to be there.
 * @throws LedgerRewoundError when Temporal saw this ledger at a higher number than it has now
 */
export async function startCampaign(client: Client, input: StartCampaignInput): Promise<{ workflowId: string }> {
  const workflowId = campaignWorkflowId(input.run.campaign);
  const name = `${input.run.campaign}.${input.run.number}`;
  await demandNotRewound(client, workflowId, input);
  const flag = client.options.namespace === SANDBOX_NAMESPACE ? ' --sandbox' : '';
  const searchable = await hasSearchAttributes(client);
  await client.workflow.signalWithStart<typeof publishCampaign>('publishCampaign', {
    workflowId,
    taskQueue: taskQueues(input.ledgerId).main,
    args: [{ campaign: input.run.campaign, ledgerId: input.ledgerId, searchable }],
    signal: submittedSignal,
    signalArgs: [],
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary:
      `${name}${input.rows === undefined ? '' : ` · ${input.rows} ${input.rows === 1 ? 'row' : 'rows'}`} · ${input.manifest.name}`.slice(
        0,
        150,
      ),
    staticDetails: `Run **${name}**, started by ${input.startedBy}. Its rows and outcomes are in the ledger \`${input.ledgerId}\`: \`reelay results ${name}${flag}\`.`,
    memo: {
      run: name,
      manifest: input.manifest.name,
      manifestHash: input.manifest.hash,
      ledger: input.ledgerId,
      sequence: input.sequence,
    },
    ...(searchable
      ? { typedSearchAttributes: new TypedSearchAttributes([{ key: campaignKey, value: input.run.campaign }]) }
      : {}),
  });
  return { workflowId };
}

/** The second witness beside the ledger's own file: a whole home that was restored has an old file as well. */
async function demandNotRewound(client: Client, workflowId: string, input: StartCampaignInput): Promise<void> {
  const described = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    });
  const { ledger, sequence } = described?.memo ?? {};
  if (ledger !== input.ledgerId || typeof sequence !== 'number' || sequence <= input.sequence) return;
  throw new LedgerRewoundError(input.location, { lost: false, sequence: input.sequence, expected: sequence });
}

/** Makes a running campaign look into the ledger now. Nothing is lost when there is none, or Temporal is away. */
export async function hurry(client: Client, run: RunRef): Promise<boolean> {
  try {
    await client.workflow.getHandle(campaignWorkflowId(run.campaign)).signal(hurrySignal);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Signals at once: enough that hundreds of channels take a moment, few enough for a small server. */
const SIGNALS_AT_ONCE = 20;

/** Makes channel workflows look into the ledger now. One that has ended needs no waking. */
export async function wakeChannels(client: Client, workflowIds: readonly string[]): Promise<void> {
  const waiting = [...workflowIds];
  const signalNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await client.workflow.getHandle(id).signal(hurrySignal);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: SIGNALS_AT_ONCE }, signalNext));
}

/** What became of a campaign's workflow: `running`, how it closed (`terminated`, `failed`, …), or `gone` when Temporal has none. */
export async function campaignStatus(client: Client, campaign: string): Promise<string> {
  try {
    const { status } = await client.workflow.getHandle(campaignWorkflowId(campaign)).describe();
    return status.name.toLowerCase();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone';
    throw error;
  }
}

/** Workers that poll this ledger's queues for workflow tasks. */
export async function countPollers(client: Client, ledgerId: string): Promise<number> {
  const answer = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueues(ledgerId).main },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  const recent = Date.now() - 90_000;
  return answer.pollers.filter((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1_000 > recent).length;
}

/** Search attributes help to filter the list; everything works without them. */
async function hasSearchAttributes(client: Client): Promise<boolean> {
  try {
    const answer = await client.connection.operatorService.listSearchAttributes({
      namespace: client.options.namespace,
    });
    return 'ReelayCampaign' in answer.customAttributes;
  } catch {
    // Temporal Cloud and restricted clusters refuse the operator service.
    return false;
  }
}
