import { HELD_UNTIL } from '../channels/channels';
import { PRUNED } from '../model/cancel-asked';
import { moveRow, patchRow, readRows } from '../rows/rows';
import { PAGE_ROWS, type Tx } from '../engine/store';

/**
 * Takes rows out of sending whose videos the accepted manifest has under other keys, in the transaction that accepts
 * it. A claim comes either before that transaction, and the manifest is planned again, or after it, and is refused.
 * Otherwise both keys of a renamed row would be sent if the old one is claimed before the manifest is imported. Returns
 * false if one was claimed since the plan; then nothing is written.
 */
export async function setReplacedAside(tx: Tx, { pruned, moved }: ReplacedRows, now: number): Promise<boolean> {
  const ids = [...pruned, ...moved];
  const isPruned = new Set(pruned);
  for (const write of [false, true]) {
    for (let from = 0; from < ids.length; from += PAGE_ROWS) {
      for (const row of (await readRows(tx, ids.slice(from, from + PAGE_ROWS))).values()) {
        if (row.state !== 'planned' && row.state !== 'waiting') return false;
        if (!write) continue;
        if (isPruned.has(row.id)) await moveRow(tx, row, 'cancelled', now, PRUNED);
        // Its import gives it the new source and its time again.
        else await patchRow(tx, row.id, { ready_at: HELD_UNTIL, code: 'changing', message: 'it gets another source' });
      }
    }
  }
  return true;
}

/** Unsent rows whose video the manifest has under another key: they must not be sent any more. */
export interface ReplacedRows {
  /** The manifest no longer has them. */
  pruned: readonly number[];
  /** They get another source. */
  moved: readonly number[];
}
