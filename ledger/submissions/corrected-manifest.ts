import { type GivenFlag } from '../model/submission-types';
import { preparedFirst, type Store } from '../engine/store';
import { type SubmissionOptions } from './repeated-trial';

const newest = preparedFirst<{ campaign: string }, { format: string; text: string; options: string }>((db, p) =>
  db
    .selectFrom('campaigns')
    .innerJoin('snapshots', 'snapshots.id', 'campaigns.snapshot_id')
    .innerJoin('submissions', 'submissions.snapshot_id', 'snapshots.id')
    .select(['snapshots.format', 'snapshots.text', 'submissions.options'])
    .where('campaigns.name', '=', p.campaign)
    .orderBy('submissions.id', 'desc')
    .limit(1),
);

/**
 * The campaign's main manifest, which sheets of its rows correct: its text if it is a YAML, and the flags with which it
 * was submitted last. Null: the campaign has none.
 */
export async function correctedManifest(
  store: Store,
  campaign: string,
): Promise<{ yaml: string | null; given: readonly GivenFlag[] } | null> {
  const found = await newest(store.db, { campaign });
  if (found === undefined) return null;
  const { given = [] } = JSON.parse(found.options) as SubmissionOptions;
  return { yaml: found.format === 'yaml' ? found.text : null, given };
}
