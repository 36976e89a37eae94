import { sql } from 'kysely';
import { prepared, type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type CampaignSettings } from '../model/types';
import { placesOf, placeText } from '../rows/line-in-manifest';
import { type UnsentRow } from './unproven-refusals';

type SentRow = Pick<
  RowRecord,
  'campaign' | 'account' | 'profile_id' | 'platform' | 'key' | 'snapshot_id' | 'entry_snapshot' | 'line'
>;

const sentWith = prepared<{ channelId: number; sourceHash: string; id: number }, SentRow>((db, p) =>
  db
    .selectFrom('rows')
    .select(['campaign', 'account', 'profile_id', 'platform', 'key', 'snapshot_id', 'entry_snapshot', 'line'])
    .where('channel_id', '=', p.channelId)
    .where('source_hash', '=', p.sourceHash)
    .where('id', '!=', p.id)
    .where(
      sql<boolean>`(state not in ('planned', 'waiting', 'failed', 'rejected', 'cancelled') or (state = 'cancelled' and sent = 1))`,
    )
    .orderBy('id'),
);

/**
 * Where the video of a row was sent to its channel, or may have been, since the row was accepted: by another campaign
 * that wasn't allowed to repeat it, or in its campaign under a key that has taken the place of the row's. Both are
 * accepted only while the row has failed or is cancelled; then it may be retried. Null: nowhere.
 */
export async function sentElsewhere(
  tx: Tx,
  row: UnsentRow,
  repeatOf: (snapshotId: number) => Promise<CampaignSettings['repeat']>,
): Promise<string | null> {
  if (row.source_hash === '') return null;
  const { channel_id: channelId, source_hash: sourceHash, id } = row;
  for (const other of await sentWith(tx, { channelId, sourceHash, id })) {
    const own = other.campaign === row.campaign;
    if (own ? !(await isReplaced(tx, row, other)) : (await repeatOf(other.entry_snapshot)) === 'allow') continue;
    const [place] = await placesOf(tx, [other]);
    const where = place === undefined ? '' : placeText(place);
    return own ? `${where} (key ${other.key})` : `campaign ${other.campaign}, ${where}`;
  }
  return null;
}

/** The campaign's manifest no longer has the row, and a later one has the other row. */
async function isReplaced(tx: Tx, row: Pick<UnsentRow, 'id' | 'snapshot_id'>, other: SentRow): Promise<boolean> {
  if (other.snapshot_id <= row.snapshot_id) return false;
  const { manifest, replaced } = await tx
    .selectFrom('rows')
    .innerJoin('campaigns', 'campaigns.name', 'rows.campaign')
    .select(['campaigns.snapshot_id as manifest', 'rows.replaced_values as replaced'])
    .where('rows.id', '=', row.id)
    .executeTakeFirstOrThrow();
  // A row that a sheet has corrected is the manifest's still.
  return row.snapshot_id !== manifest && replaced === null;
}
