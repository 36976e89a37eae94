import { valuesAt } from '../rows/accepted';
import { rowLabel, shortMessage } from '../model/labels';
import { moveRow } from '../rows/rows';
import { sourceHash } from '../model/source';
import { type RowState } from '../model/states';
import { type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { NOT_ASKED, reasonAsked } from '../model/cancel-asked';

/**
 * Returns a row whose create certainly did not happen: to `planned`, with the newest accepted values; or to
 * `cancelled`, if it was cancelled meanwhile or its new values can't be created.
 */
export async function release(
  tx: Tx,
  row: RowRecord,
  why: { now: number; readyAt?: number | undefined; code: string | null; message: string | null },
): Promise<RowState> {
  const { now, readyAt = 0, code, message } = why;
  if (row.cancel_asked !== NOT_ASKED) {
    const cancelled = { sent: 0, candidates: null, ...reasonAsked(row.cancel_asked) };
    return moveRow(tx, row, 'cancelled', now, cancelled);
  }
  const newest = await newestValues(tx, row);
  const unsent = { sent: 0, candidates: null, ...newest?.place };
  if (newest?.values.status === 'pending')
    return moveRow(tx, row, 'cancelled', now, { ...unsent, code: 'pending-needs-draft', message: NO_DRAFT });
  return moveRow(tx, row, 'planned', now, {
    ...unsent,
    code,
    message: shortMessage(message),
    ready_at: Math.max(readyAt, newest?.place.publish_at ?? row.publish_at),
  });
}

const NO_DRAFT =
  'its draft was about to be replaced when status: pending was submitted; a publication can’t be created as pending';

/** Values that were accepted while the row was being created are too late for that create, but apply to the next one. */
async function newestValues(tx: Tx, row: RowRecord) {
  if (row.entry_snapshot === row.snapshot_id && row.entry_position === row.position) return null;
  const accepted = await valuesAt(tx, { snapshot: row.snapshot_id, position: row.position });
  const publishAt = accepted.publishAt === null ? 0 : Date.parse(accepted.publishAt);
  const place = {
    entry_snapshot: row.snapshot_id,
    entry_position: row.position,
    label: rowLabel({ line: row.line, key: row.key, values: accepted }),
    source_hash: sourceHash(accepted.source),
    upload: accepted.sourceKind === 'file' ? 1 : 0,
    publish_at: publishAt,
  };
  return { values: accepted, place };
}
