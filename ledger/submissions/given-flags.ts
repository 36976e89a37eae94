import { type Store } from '../engine/store';
import { type SubmissionOptions } from './submit';
import { type GivenFlag } from '../model/types';

/** The flags that a campaign's newest manifest was submitted with; null: there is none, or they aren't known. */
export async function givenFlags(store: Store, campaign: string): Promise<readonly GivenFlag[] | null> {
  const newest = await store.db
    .selectFrom('submissions')
    .select('options')
    .where('campaign', '=', campaign)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest === undefined ? null : ((JSON.parse(newest.options) as SubmissionOptions).given ?? null);
}
