import { acceptedRows } from '../rows/accepted';
import { type Store } from '../engine/store';
import { BASELINE_MARGIN_MS } from '../model/baseline-margin';
import { type RowValues } from '../model/types';

/** A direct publish that was acknowledged, or may have happened. */
export interface DirectPublish {
  publishId: string | null;
  values: RowValues;
}

/**
 * Direct publishes of an account, across all its campaigns, that are being made or ended since a day before `since` (ms
 * since the epoch). The interface doesn't show whether they are listed as publications too (section 4.8): what the list
 * shows since then may be one of these, even if a baseline in between didn't have it.
 */
export async function directPublishes(store: Store, account: string, since: number): Promise<DirectPublish[]> {
  const rows = await acceptedRows(store.db)
    .select(['rows.publish_id', 'entries.values'])
    .where('rows.account', '=', account)
    .where((eb) => {
      const mayBeOut = eb.or([
        eb('rows.state', 'in', ['submitted', 'unconfirmed']),
        eb.and([eb('rows.state', '=', 'cancelled'), eb('rows.sent', '=', 1)]),
      ]);
      return eb.or([
        eb('rows.state', '=', 'creating'),
        eb.and([eb('rows.ended_at', '>=', since - BASELINE_MARGIN_MS), mayBeOut]),
      ]);
    })
    .execute();
  return rows
    .map(({ publish_id, values }) => ({ publishId: publish_id, values: JSON.parse(values) as RowValues }))
    .filter(({ values }) => values.via === 'direct');
}
