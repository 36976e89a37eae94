import { sql } from 'kysely';
import { prepared, type Store } from '../engine/store';
import { type ConfiguredReading, type GivenFlag } from '../model/submission-types';
import { sheetOf } from './correction';
import { type SubmissionOptions } from './repeated-trial';

interface Submitted {
  snapshot_id: number;
  format: string;
  start: string;
  options: string;
}

/** The newest ones that are looked at. */
const LOOKED_AT = 200;

const newest = prepared<{ campaign: string }, Submitted>((db, p) =>
  db
    .selectFrom('submissions')
    .innerJoin('snapshots', 'snapshots.id', 'submissions.snapshot_id')
    .select(['submissions.snapshot_id', 'submissions.options', 'snapshots.format'])
    .select(sql<string>`substr(snapshots.text, 1, 100000)`.as('start'))
    .where('submissions.campaign', '=', p.campaign)
    .orderBy('submissions.id', 'desc')
    .limit(LOOKED_AT),
);

/** How a campaign's manifest was submitted last. */
export interface SubmittedManifest {
  /** Its text, if it is a YAML. */
  yaml: string | null;
  given: readonly GivenFlag[];
  /** The path of the config that was read then, and what it said; null: there was none, or it isn't known. */
  config: string | null;
  configured: ConfiguredReading | null;
}

/**
 * The campaign's newest manifest that isn't a sheet which reelay wrote, and which such sheets correct, with its
 * flags and config of the last time. Null: the campaign has none.
 */
export async function correctedManifest(store: Store, campaign: string): Promise<SubmittedManifest | null> {
  const found = (await newest(store.db, { campaign })).find(({ start }) => sheetOf(start) === null);
  if (found === undefined) return null;
  const { given = [], config = null, configured = null } = JSON.parse(found.options) as SubmissionOptions;
  const submitted = { given, config, configured };
  if (found.format !== 'yaml') return { yaml: null, ...submitted };
  const { text } = await store.db
    .selectFrom('snapshots')
    .select('text')
    .where('id', '=', found.snapshot_id)
    .executeTakeFirstOrThrow();
  return { yaml: text, ...submitted };
}
