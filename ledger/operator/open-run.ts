import { uncancel } from './cancel';
import { adoptUnfollowed } from '../runs/unfollowed-rows';
import { numberRun } from '../runs/begin-run';
import { readRun, type RunRecord } from '../runs/read-run';
import { type Tx } from '../engine/store';

/** The campaign's open run, or a new one with its newest manifest. */
export async function openRun(tx: Tx, campaign: string, by: string, now: number): Promise<RunRecord> {
  const open = await tx
    .selectFrom('runs')
    .selectAll()
    .where('campaign', '=', campaign)
    .where('open', '=', 1)
    .executeTakeFirst();
  if (open) {
    await uncancel(tx, open);
    return open;
  }
  const { snapshot_id } = await tx
    .selectFrom('campaigns')
    .select('snapshot_id')
    .where('name', '=', campaign)
    .executeTakeFirstOrThrow();
  const made = await numberRun(tx, campaign, { by, now });
  await tx.updateTable('runs').set({ snapshot_id }).where('id', '=', made.id).execute();
  await adoptUnfollowed(tx, { id: made.id, campaign });
  return readRun(tx, { campaign, number: made.number });
}
