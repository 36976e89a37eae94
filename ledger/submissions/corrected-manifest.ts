import { sql } from 'kysely';
import { prepared, preparedFirst, type Store } from '../engine/store';
import { type ConfiguredReading, type GivenFlag } from '../model/submission-types';
import { isCorrecting } from '../runs/corrections';
import { sheetOf } from './correction';
import { type SubmissionOptions } from './repeated-trial';

interface Submitted {
  snapshot_id: number;
  options: string;
}

/** The newest ones that are looked at. */
const LOOKED_AT = 200;

const newest = prepared<{ campaign: string }, Submitted>((db, p) =>
  db
    .selectFrom('submissions')
    .select(['snapshot_id', 'options'])
    .where('campaign', '=', p.campaign)
    .orderBy('id', 'desc')
    .limit(LOOKED_AT),
);

const startOf = preparedFirst<{ id: number }, { start: string }>((db, p) =>
  db
    .selectFrom('snapshots')
    .select(sql<string>`substr(text, 1, 100000)`.as('start'))
    .where('id', '=', p.id),
);

/** The newest submission of the campaign's own manifest: neither of a sheet that reelay wrote nor of some of its rows. */
async function submittedManifest({ db }: Store, campaign: string): Promise<Submitted | null> {
  for (const submitted of await newest(db, { campaign })) {
    if (isCorrecting(submitted.options)) continue;
    const found = await startOf(db, { id: submitted.snapshot_id });
    if (sheetOf(found?.start ?? '') === null) return submitted;
  }
  return null;
}

/** The flags with which the manifest was submitted that a campaign's sheets correct; null: there is none. */
export async function correctedFlags(store: Store, campaign: string): Promise<readonly GivenFlag[] | null> {
  const found = await submittedManifest(store, campaign);
  return found && ((JSON.parse(found.options) as SubmissionOptions).given ?? []);
}

/** How a campaign's manifest was submitted last. */
export interface SubmittedManifest {
  /** Its text, if it is a YAML. */
  yaml: string | null;
  given: readonly GivenFlag[];
  /** The path of the config that was read then, and what it said; null: there was none, or it isn't known. */
  config: string | null;
  configured: ConfiguredReading | null;
}

/** The manifest that a campaign's sheets correct, with its flags and config of the last time. Null: there is none. */
export async function correctedManifest(store: Store, campaign: string): Promise<SubmittedManifest | null> {
  const found = await submittedManifest(store, campaign);
  if (found === null) return null;
  const { given = [], config = null, configured = null } = JSON.parse(found.options) as SubmissionOptions;
  const { format, text } = await store.db
    .selectFrom('snapshots')
    .select(['format', 'text'])
    .where('id', '=', found.snapshot_id)
    .executeTakeFirstOrThrow();
  return { yaml: format === 'yaml' ? text : null, given, config, configured };
}
