import { sql } from 'kysely';
import { batched } from '../engine/batch';
import { LedgerFaultError } from '../model/errors';
import { mayMove, type RowState } from '../model/states';
import { type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';

/** How the publication of a row in `processing` ended, with everything that the row then records of it. */
export interface FollowedEnd extends Pick<
  RowRecord,
  'id' | 'status' | 'video_id' | 'video_url' | 'privacy' | 'published_at' | 'code' | 'message'
> {
  state: RowState;
  /** ms since the epoch. */
  ended_at: number;
}

const end = batched<FollowedEnd, object, { id: number }>(
  [
    ['id', 'integer'],
    ['state', 'text'],
    ['ended_at', 'bigint'],
    ['status', 'text'],
    ['video_id', 'text'],
    ['video_url', 'text'],
    ['privacy', 'text'],
    ['published_at', 'text'],
    ['code', 'text'],
    ['message', 'text'],
  ],
  (tuples) => sql`
    with ends(id, state, ended_at, status, video_id, video_url, privacy, published_at, code, message) as (values ${tuples})
    update rows set state = ends.state, ended_at = ends.ended_at, status = ends.status, video_id = ends.video_id,
      video_url = ends.video_url, privacy = ends.privacy, published_at = ends.published_at, code = ends.code,
      message = ends.message, candidates = null
    from ends where rows.id = ends.id and rows.state = 'processing' returning rows.id`,
);

/**
 * Has the same effect as moving each row separately, for what nearly every end is: the end of a followed row.
 * @throws LedgerFaultError if the transition table doesn't have a move, or a row was moved meanwhile; then the caller's
 * transaction must not be committed
 */
export async function endFollowed(tx: Tx, ends: readonly FollowedEnd[]): Promise<void> {
  const illegal = ends.find(({ state }) => !mayMove('processing', state));
  if (illegal) throw new LedgerFaultError(`row ${illegal.id} can’t go from processing to ${illegal.state}`);
  const ended = await end(tx, ends, {});
  if (ended.length !== ends.length) {
    throw new LedgerFaultError(`${ends.length - ended.length} rows are no longer processing; nothing was changed`);
  }
}
