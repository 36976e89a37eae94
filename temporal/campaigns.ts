import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter, defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { type Ledger } from '../ledger/ledger';
import { LedgerRolledBackError } from '../ledger/model/errors';
import { type RunRef } from '../ledger/model/types';
import { campaignWorkflowId, SANDBOX_NAMESPACE, taskQueues } from '../workflows/ids';
import { wakeSignal, submittedSignal } from '../workflows/messages';
import { type publishCampaign } from '../workflows/publish-campaign';
import { endOtherLedgerRun, otherLedgerRun } from './other-ledger-runs';
import { registeredAttributes } from './search-attributes';

export interface StartCampaignInput {
  run: RunRef;
  ledgerId: string;
  /** The ledger's current sequence number, for the memo; and its location, for the error. */
  sequence: number;
  location: string;
  /** File name and hash, for the memo. */
  manifest: { name: string; hash: string };
  rows?: number;
  startedBy: string;
}

const campaignKey = defineSearchAttributeKey('ReelayCampaign', 'KEYWORD');

/**
 * Like `startCampaign`, but if the ledger was rolled back, its accounts are held until it is reconciled, also for
 * running workers.
 */
export async function startCampaignOf(
  client: Client,
  ledger: Ledger,
  input: Omit<StartCampaignInput, 'ledgerId' | 'sequence' | 'location'>,
): Promise<void> {
  const { id: ledgerId, location } = ledger;
  try {
    await startCampaign(client, { ...input, ledgerId, location, sequence: await ledger.sequence() });
  } catch (error) {
    if (error instanceof LedgerRolledBackError) await ledger.holdIfBehind(error.rolledBack.expected);
    throw error;
  }
}

/**
 * Starts the campaign's workflow, or signals the running one that something was submitted. What was submitted is
 * already in the ledger; the signal only wakes the workflow. Needs no running worker. A run of another ledger, left
 * open when that ledger was lost, is ended first.
 * @throws CampaignInUseError if the campaign is open for another ledger that is in use
 * @throws LedgerRolledBackError if Temporal saw this ledger at a higher sequence number than it has now
 */
export async function startCampaign(client: Client, input: StartCampaignInput): Promise<{ workflowId: string }> {
  const workflowId = campaignWorkflowId(input.run.campaign);
  const name = `${input.run.campaign}.${input.run.number}`;
  const described = await describe(client, workflowId);
  await requireNotRolledBack(client, described, input);
  const other = described && (await otherLedgerRun(client, described, input.ledgerId));
  if (other) await endOtherLedgerRun(client, other, input.ledgerId);
  const flag = client.options.namespace === SANDBOX_NAMESPACE ? ' --sandbox' : '';
  const attributes = (await registeredAttributes(client, ['ReelayCampaign', 'ReelayRun'])) ?? [];
  const searchable = attributes.includes('ReelayCampaign');
  await client.workflow.signalWithStart<typeof publishCampaign>('publishCampaign', {
    workflowId,
    taskQueue: taskQueues(input.ledgerId).main,
    args: [
      {
        campaign: input.run.campaign,
        ledgerId: input.ledgerId,
        searchable,
        ...(attributes.includes('ReelayRun') ? { searchableRun: true } : {}),
      },
    ],
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

/** The newest execution of a workflow; null if Temporal has none. */
async function describe(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/**
 * Additional evidence besides the ledger's own file: if a whole home was restored, that file is old too. The memo has
 * the sequence number at the start of the workflow; the heartbeats of the activity that follows an open run have the
 * newest.
 */
async function requireNotRolledBack(
  client: Client,
  described: WorkflowExecutionDescription | null,
  input: StartCampaignInput,
): Promise<void> {
  if (described?.memo?.ledger !== input.ledgerId) return;
  let payloads = (described.raw.pendingActivities ?? []).flatMap(
    (activity) => activity.heartbeatDetails?.payloads ?? [],
  );
  for (const codec of client.options.loadedDataConverter.payloadCodecs) payloads = await codec.decode(payloads);
  const beats = payloads.map((payload) => defaultPayloadConverter.fromPayload<Seen>(payload));
  const seen = [described.memo as Seen, ...beats].map((one) => one?.sequence);
  const expected = Math.max(...seen.map((sequence) => (typeof sequence === 'number' ? sequence : 0)));
  if (expected <= input.sequence) return;
  throw new LedgerRolledBackError(input.location, { lost: false, sequence: input.sequence, expected });
}

type Seen = { sequence?: unknown } | undefined;

/**
 * Makes the campaign's workflow end as cancelled, once what is live is followed to its end: the cancel itself is in the
 * ledger. Nothing is lost if there is no workflow, or Temporal can't be reached.
 */
export async function cancelCampaign(client: Client, run: RunRef): Promise<boolean> {
  try {
    await client.workflow.getHandle(campaignWorkflowId(run.campaign)).cancel();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Makes a running campaign check the ledger now. Nothing is lost if there is no workflow, or Temporal can't be reached. */
export async function wakeCampaign(client: Client, run: RunRef): Promise<boolean> {
  try {
    await client.workflow.getHandle(campaignWorkflowId(run.campaign)).signal(wakeSignal);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Concurrent signals: enough that hundreds of channels take only a moment, few enough for a small server. */
const SIGNALS_AT_ONCE = 20;

/** Makes channel workflows check the ledger now. One that has ended needs no signal. */
export async function wakeChannels(client: Client, workflowIds: readonly string[]): Promise<void> {
  const waiting = [...workflowIds];
  const signalNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await client.workflow.getHandle(id).signal(wakeSignal);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: SIGNALS_AT_ONCE }, signalNext));
}

/**
 * The state of a campaign's workflow: `running`, how it closed (`terminated`, `failed`, …), or `gone` if Temporal has
 * none.
 */
export async function campaignStatus(client: Client, campaign: string): Promise<string> {
  try {
    const { status } = await client.workflow.getHandle(campaignWorkflowId(campaign)).describe();
    return status.name.toLowerCase();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone';
    throw error;
  }
}

export { countPollers, unservedFilesHosts } from './pollers';
