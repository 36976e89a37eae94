import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { countPollers } from './pollers';

/** An open campaign workflow that belongs to a ledger other than this one. */
export interface OtherLedgerRun {
  workflowId: string;
  /** The execution, so that it can't be confused with a new one under the same workflow id. */
  executionId: string;
  /** The other ledger's id. */
  ledgerId: string;
  /** Workers of the other ledger polled within the last 90 s: it is in use, not lost. */
  inUse: boolean;
}

/** The campaign is open in this Temporal for another ledger, which is in use. */
export class CampaignInUseError extends Error {
  override readonly name = 'CampaignInUseError';
  readonly code = 'campaign-in-use';

  constructor(run: OtherLedgerRun) {
    super(
      `${run.workflowId} is open in this Temporal for another ledger (${run.ledgerId}), and a worker of that ledger was seen in the last 90 s`,
    );
  }
}

/** A described workflow if another ledger's run is open in it; null otherwise. */
export async function otherLedgerRun(
  client: Client,
  described: Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'status' | 'memo'>,
  ledgerId: string,
): Promise<OtherLedgerRun | null> {
  const { workflowId, runId: executionId, memo } = described;
  const other = memo?.ledger;
  if (described.status.name !== 'RUNNING' || typeof other !== 'string' || other === ledgerId) return null;
  return { workflowId, executionId, ledgerId: other, inUse: (await countPollers(client, other)) > 0 };
}

/** Open campaign workflows of the namespace that belong to other ledgers. */
export async function otherLedgerRuns(client: Client, ledgerId: string): Promise<OtherLedgerRun[]> {
  const found: OtherLedgerRun[] = [];
  const query = 'WorkflowType = "publishCampaign" AND ExecutionStatus = "Running"';
  for await (const info of client.workflow.list({ query })) {
    const run = await otherLedgerRun(client, info, ledgerId);
    if (run) found.push(run);
  }
  return found;
}

/**
 * Ends a run of a ledger without a worker. Nothing polls its task queue, so it could neither continue nor end by
 * itself, and it occupies the campaign's workflow id. Its channels end with it.
 * @throws CampaignInUseError if the other ledger is in use
 */
export async function endOtherLedgerRun(client: Client, run: OtherLedgerRun, ledgerId: string): Promise<void> {
  if (run.inUse) throw new CampaignInUseError(run);
  try {
    await client.workflow
      .getHandle(run.workflowId, run.executionId)
      .terminate(
        `ledger ${run.ledgerId} was lost or replaced, and no worker polls its task queue; ledger ${ledgerId} takes over`,
      );
  } catch (error) {
    // It ended in the meantime.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
