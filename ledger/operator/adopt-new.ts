import { createChannelUpsert } from '../channels/channels';
import { rowLabel } from '../model/labels';
import { identityOf } from '../rows/row-lookup';
import { insertRows, startIn } from '../rows/row-pages';
import { sourceHash } from '../model/source';
import { type Tx } from '../engine/store';
import { type CampaignSettings, type Entry, type RowValues } from '../model/types';

/** The values of a new row that no manifest has yet; its campaign may be new too. */
export interface NewRowInput {
  campaign: string;
  key: string;
  account: string;
  values: RowValues;
}

/** The placeholder manifest of rows that were adopted before a manifest had them. */
const HASH = 'adopted';

const SETTINGS: CampaignSettings = {
  late: 'hold',
  giveUpAfterMs: 24 * 3_600_000,
  ambiguous: 'reconcile',
  repeat: 'refuse',
  channelConcurrency: 4,
  accountConcurrency: 16,
};

/** Creates the row of a publication that is adopted before any manifest has it. The row is never sent as it is. */
export async function makeAdoptedRow(tx: Tx, input: NewRowInput, now: number): Promise<void> {
  const { campaign, key, account, values } = input;
  const { id: snapshotId, entries: position } = await snapshotOf(tx, campaign, now);
  const entry: Entry = { position, line: position + 1, key, account, values, skip: false, cells: {} };
  const identity = identityOf(entry);
  await tx
    .insertInto('entries')
    .values({
      ...{ snapshot_id: snapshotId, position, line: entry.line, key: identity.key, account },
      ...{ profile_id: identity.profileId, platform: identity.platform },
      ...{ skip: 0, values: JSON.stringify(values), cells: '{}' },
    })
    .execute();
  await tx
    .updateTable('snapshots')
    .set({ entries: position + 1 })
    .where('id', '=', snapshotId)
    .execute();
  const where = { snapshot_id: snapshotId, position, line: entry.line };
  await insertRows(tx, [
    {
      ...{ campaign, account, profile_id: identity.profileId, platform: identity.platform, key: identity.key },
      ...{ channel_id: await createChannelUpsert()(tx, entry), source_hash: sourceHash(values.source) },
      ...where,
      ...{ entry_snapshot: snapshotId, entry_position: position, accepted_at: now, label: rowLabel(entry) },
      ...{ upload: 0, publish_at: 0, ready_at: 0, run_id: null },
      ...startIn('planned', now),
    },
  ]);
}

async function snapshotOf(tx: Tx, campaign: string, now: number): Promise<{ id: number; entries: number }> {
  const known = await tx
    .selectFrom('snapshots')
    .select(['id', 'entries'])
    .where('campaign', '=', campaign)
    .where('hash', '=', HASH)
    .executeTakeFirst();
  if (known) return known;
  const made = await tx
    .insertInto('snapshots')
    .values({
      ...{ campaign, hash: HASH, file_hash: HASH, path: '(adopted by hand)', format: 'csv', text: '', columns: '[]' },
      ...{ settings: JSON.stringify(SETTINGS), entries: 0, complete: 1, stored_at: now },
    })
    .returning(['id', 'entries'])
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('campaigns')
    .values({ name: campaign, version: 0, last_run: 0, snapshot_id: made.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return made;
}
