import { prepared, type Store } from '../engine/store';
import { type CampaignSettings } from '../model/types';

/** A sheet of corrected rows names no zone: the zone of the manifest that it corrects applies. */
const SUBMISSIONS_READ = 20;

const newestSettings = prepared<{ campaign: string }, { settings: string }>((db, p) =>
  db
    .selectFrom('submissions')
    .innerJoin('snapshots', 'snapshots.id', 'submissions.snapshot_id')
    .select('snapshots.settings')
    .where('submissions.campaign', '=', p.campaign)
    .orderBy('submissions.id', 'desc')
    .limit(SUBMISSIONS_READ),
);

/** The zone of the campaign's newest manifest that names one; null: none does. */
export async function zoneOf(store: Store, campaign: string): Promise<string | null> {
  for (const { settings } of await newestSettings(store.db, { campaign })) {
    const { timezone } = JSON.parse(settings) as CampaignSettings;
    if (timezone !== undefined) return timezone;
  }
  return null;
}
