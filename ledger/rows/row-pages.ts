import { sql } from 'kysely';
import { batched } from '../engine/batch';
import { LedgerFaultError } from '../model/errors';
import { isEnd, mayMove, type RowState } from '../model/states';
import { type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';

/** The columns of a new row; all others are null or 0. */
export type NewRow = Pick<
  RowRecord,
  | 'campaign'
  | 'account'
  | 'profile_id'
  | 'platform'
  | 'key'
  | 'channel_id'
  | 'source_hash'
  | 'snapshot_id'
  | 'position'
  | 'line'
  | 'entry_snapshot'
  | 'entry_position'
  | 'accepted_at'
  | 'label'
  | 'upload'
  | 'publish_at'
  | 'ready_at'
  | 'run_id'
> &
  FirstState;

type FirstState = Pick<RowRecord, 'state' | 'code' | 'message' | 'ended_at'>;

/**
 * The state of a new row: as if it had been planned and moved on at once.
 * @throws LedgerFaultError if the transition table doesn't have the move
 */
export function startIn(
  state: RowState,
  at: number,
  reason: { code?: string | null | undefined; message?: string | null | undefined } = {},
): FirstState {
  if (state !== 'planned' && !mayMove('planned', state)) {
    throw new LedgerFaultError(`a new row can’t begin as ${state}; nothing was changed`);
  }
  return { state, code: reason.code ?? null, message: reason.message ?? null, ended_at: isEnd(state) ? at : null };
}

const insert = batched<NewRow, object>(
  [
    ['campaign', 'text'],
    ['account', 'text'],
    ['profile_id', 'text'],
    ['platform', 'text'],
    ['key', 'text'],
    ['channel_id', 'integer'],
    ['source_hash', 'text'],
    ['snapshot_id', 'integer'],
    ['position', 'integer'],
    ['line', 'integer'],
    ['entry_snapshot', 'integer'],
    ['entry_position', 'integer'],
    ['accepted_at', 'bigint'],
    ['label', 'text'],
    ['upload', 'integer'],
    ['publish_at', 'bigint'],
    ['ready_at', 'bigint'],
    ['run_id', 'integer'],
    ['state', 'text'],
    ['code', 'text'],
    ['message', 'text'],
    ['ended_at', 'bigint'],
  ],
  (tuples) => sql`
    with page(campaign, account, profile_id, platform, key, channel_id, source_hash, snapshot_id, position, line,
      entry_snapshot, entry_position, accepted_at, label, upload, publish_at, ready_at, run_id, state, code, message,
      ended_at) as (values ${tuples})
    insert into rows (campaign, account, profile_id, platform, key, channel_id, source_hash, snapshot_id, position, line,
      entry_snapshot, entry_position, accepted_at, label, upload, publish_at, ready_at, run_id, state, code, message,
      ended_at, attempts, sent, cancel_asked)
    select page.*, 0, 0, 0 from page`,
);

/** Inserts the rows of a page. */
export async function insertRows(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  await insert(tx, rows, {});
}

export type MovedPlace = Pick<RowRecord, 'id' | 'position' | 'line' | 'label'>;

const move = batched<MovedPlace, { snapshotId: number }>(
  [
    ['id', 'integer'],
    ['position', 'integer'],
    ['line', 'integer'],
    ['label', 'text'],
  ],
  (tuples, { snapshotId }) => sql`
    with places(id, position, line, label) as (values ${tuples})
    update rows set snapshot_id = ${snapshotId}, position = places.position, line = places.line, label = places.label
    from places where rows.id = places.id`,
);

/** Sets the positions of rows in a new manifest. */
export async function movePlaces(tx: Tx, places: readonly MovedPlace[], snapshotId: number): Promise<void> {
  await move(tx, places, { snapshotId });
}
