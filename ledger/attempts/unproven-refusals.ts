import { sql, type Updateable } from 'kysely';
import { type Db, prepared, type Tx } from '../engine/store';
import { type RowRecord, type Tables } from '../engine/tables';
import { type CampaignSettings, type RowValues } from '../model/types';

/**
 * Refused, and nothing has shown whether a publication exists. That the row was left to a person before the answer
 * came, because its worker was silent, proves nothing.
 */
export function unprovenRefusal() {
  return sql<boolean>`(outcome in ('auth-refused', 'rejected') and http_status is not null and coalesce(settled_as, 'answered') not in ('repeat', 'not-published', 'adopt', 'published', 'read'))`;
}

/** Another row with the same video is looked for in its place. */
const MOVED = 'moved';

/** No other row is looked for in its place. */
export const NOT_MOVED = sql<boolean>`coalesce(settled_as, 'answered') <> ${sql.lit(MOVED)}`;

/** A row that is to be sent. */
export type UnsentRow = Pick<RowRecord, 'id' | 'campaign' | 'channel_id' | 'snapshot_id' | 'source_hash' | 'attempts'>;

/** An unproven refusal, with its row and with the entry that was sent. */
interface Refusal extends Pick<RowRecord, 'campaign' | 'snapshot_id' | 'state'> {
  row_id: number;
  number: number;
  settled_as: string | null;
  sent_snapshot: number;
  sent_position: number;
  values: string;
  /** 1: the newest manifest that has the row says so. */
  skip: number;
}

/** The last creates of rows. */
function refusals(db: Db) {
  return db
    .selectFrom('rows')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.row_id', '=', 'rows.id').onRef('attempts.number', '=', 'rows.attempts'),
    )
    .innerJoin('entries as sent', (join) =>
      join
        .on('sent.snapshot_id', '=', sql<number>`coalesce(attempts.entry_snapshot, rows.entry_snapshot)`)
        .on('sent.position', '=', sql<number>`coalesce(attempts.entry_position, rows.entry_position)`),
    )
    .innerJoin('entries as newest', (join) =>
      join.onRef('newest.snapshot_id', '=', 'rows.snapshot_id').onRef('newest.position', '=', 'rows.position'),
    )
    .select(['rows.campaign', 'rows.snapshot_id', 'rows.state', 'newest.skip'])
    .select(['attempts.row_id', 'attempts.number', 'attempts.settled_as'])
    .select(['sent.snapshot_id as sent_snapshot', 'sent.position as sent_position', 'sent.values'])
    .where(unprovenRefusal());
}

const refusalOf = prepared<{ id: number }, Refusal>((db, p) => refusals(db).where('rows.id', '=', p.id));

/** By the video that was sent: the row may have another one by now. */
const refusalsOfSource = prepared<{ channelId: number; sourceHash: string }, Refusal>((db, p) =>
  refusals(db).where('attempts.channel_id', '=', p.channelId).where('attempts.source_hash', '=', p.sourceHash),
);

/**
 * A create that the service refused, of the row itself or of one whose place it takes, that has to be looked for before
 * the row is sent; undefined if there is none. A direct publish can't be looked for.
 */
export async function findRefused(
  tx: Tx,
  row: UnsentRow,
  repeat: () => Promise<CampaignSettings['repeat']>,
): Promise<Refusal | undefined> {
  const { id, channel_id: channelId, source_hash: sourceHash } = row;
  const own = row.attempts === 0 ? [] : await refusalOf(tx, { id });
  const all = [...own, ...(sourceHash === '' ? [] : await refusalsOfSource(tx, { channelId, sourceHash }))];
  if (all.length === 0) return undefined;
  const allowed = (await repeat()) === 'allow';
  const found = all.filter((one) => (JSON.parse(one.values) as RowValues).via !== 'direct');
  return (
    found.find(({ row_id }) => row_id === row.id) ??
    found.find((one) => one.row_id !== row.id && one.settled_as !== MOVED && takesPlaceOf(row, one, allowed))
  );
}

/** Whether the row has the video of another one that is not to be published beside it. */
function takesPlaceOf(row: UnsentRow, other: Refusal, repeatAllowed: boolean): boolean {
  if (other.campaign !== row.campaign) return !repeatAllowed;
  return other.snapshot_id !== row.snapshot_id || other.state === 'cancelled' || other.skip === 1;
}

/**
 * The row is to be looked for as if the answer of the refused create had been lost. Returns the number of its attempts:
 * the create of another row counts as its own from now on.
 */
export async function lookForRefused(tx: Tx, row: UnsentRow, refusal: Refusal, now: number): Promise<number> {
  const { row_id, number, sent_snapshot, sent_position } = refusal;
  const unknown = { outcome: 'unknown', refused: 1, settled_as: null, settled_at: null };
  if (row_id === row.id) {
    await settleAs(tx, refusal, unknown);
    return row.attempts;
  }
  const made = await tx
    .selectFrom('attempts')
    .selectAll()
    .where('row_id', '=', row_id)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  const taken = {
    row_id: row.id,
    number: row.attempts + 1,
    entry_snapshot: sent_snapshot,
    entry_position: sent_position,
  };
  await tx
    .insertInto('attempts')
    .values({ ...made, ...taken, ...unknown })
    .execute();
  await settleAs(tx, refusal, { settled_as: MOVED, settled_at: now });
  return taken.number;
}

async function settleAs(tx: Tx, { row_id, number }: Refusal, changes: Updateable<Tables['attempts']>): Promise<void> {
  await tx.updateTable('attempts').set(changes).where('row_id', '=', row_id).where('number', '=', number).execute();
}
