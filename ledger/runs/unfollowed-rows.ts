import { OPEN_STATES } from './open-rows';
import { type Db, type Store, type Tx } from '../engine/store';

/**
 * Rows whose late answer arrived after their run had ended: they are not followed until the campaign has an open run
 * again, which then takes them. A run has no open rows when it ends, so these are few.
 */
function unfollowedRows(db: Db, campaign: string) {
  const ended = db
    .selectFrom('runs')
    .select('id')
    .where('campaign', '=', campaign)
    .where('open', '=', 0)
    .where('closed_as', '=', 'ended');
  return db.selectFrom('rows').where('run_id', 'in', ended).where('state', 'in', OPEN_STATES);
}

/** Gives them to an open run of the campaign. Returns how many there were. */
export async function adoptUnfollowed(tx: Tx, run: { id: number; campaign: string }): Promise<number> {
  const rows = await unfollowedRows(tx, run.campaign).select('id').execute();
  for (const { id } of rows) await tx.updateTable('rows').set({ run_id: run.id }).where('id', '=', id).execute();
  return rows.length;
}

/** Rows of the campaign that are not followed because their run has ended. */
export async function unfollowed(store: Store, campaign: string): Promise<number> {
  const { rows } = await unfollowedRows(store.db, campaign)
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
}
