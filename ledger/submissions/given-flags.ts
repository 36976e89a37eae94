import { preparedFirst, type Store } from '../engine/store';
import { type SubmissionOptions } from './repeated-trial';
import { type GivenFlag } from '../model/submission-types';

const newestOptions = preparedFirst<{ campaign: string }, { options: string }>((db, p) =>
  db.selectFrom('submissions').select('options').where('campaign', '=', p.campaign).orderBy('id', 'desc').limit(1),
);

/** The flags of the submit of a campaign's newest manifest; null: there is none, or they aren't known. */
export async function givenFlags(store: Store, campaign: string): Promise<readonly GivenFlag[] | null> {
  const newest = await newestOptions(store.db, { campaign });
  return newest === undefined ? null : ((JSON.parse(newest.options) as SubmissionOptions).given ?? null);
}
