import { preparedFirst, type Store } from '../engine/store';
import { correctedFlags } from './corrected-manifest';
import { type SubmissionOptions } from './repeated-trial';
import { type GivenFlag } from '../model/submission-types';

/**
 * Flags about how a file is read, which campaign it is, and one-time confirmations: a sheet with corrections needs none
 * of these.
 */
const OF_ONE_FILE: readonly string[] = [
  ...['--campaign', '--encoding', '--delimiter', '--sheet', '--template', '--strict'],
  ...['--prune', '--keep', '--rekey', '--accept-differences', '--skip-invalid', '--once'],
];

/** Flags about the command itself and not about the manifest. */
const OF_THE_COMMAND: readonly string[] = ['--config', '--base-url'];

/**
 * The flags of a campaign's newest submission that a sheet of corrected rows needs too. It is read with those of its
 * `manifest`, so only others are left, such as those of an earlier sheet.
 */
function carriedFlags(given: readonly GivenFlag[], manifest: readonly GivenFlag[]): GivenFlag[] {
  const inherited = (flag: string, value?: string) =>
    !OF_THE_COMMAND.includes(flag) && manifest.some((own) => own[0] === flag && own[1] === value);
  return given.filter(([flag, value]) => !OF_ONE_FILE.includes(flag) && !inherited(flag, value));
}

const newest = preparedFirst<{ campaign: string }, { options: string; path: string }>((db, p) =>
  db
    .selectFrom('submissions')
    .innerJoin('snapshots', 'snapshots.id', 'submissions.snapshot_id')
    .select(['submissions.options', 'snapshots.path'])
    .where('submissions.campaign', '=', p.campaign)
    .orderBy('submissions.id', 'desc')
    .limit(1),
);

/**
 * The flags of the submit of a campaign's newest manifest or sheet, if that is this file; null: it isn't, or they aren't
 * known.
 */
export async function givenFlags(store: Store, campaign: string, path: string): Promise<readonly GivenFlag[] | null> {
  const found = await newest(store.db, { campaign });
  if (found?.path !== path) return null;
  return (JSON.parse(found.options) as SubmissionOptions).given ?? null;
}

/** The flags that a sheet of corrected rows of a campaign needs, besides those of its manifest, which it is read with. */
export async function sheetFlags(store: Store, campaign: string): Promise<readonly GivenFlag[]> {
  const found = await newest(store.db, { campaign });
  if (found === undefined) return [];
  const { given = [] } = JSON.parse(found.options) as SubmissionOptions;
  return carriedFlags(given, (await correctedFlags(store, campaign)) ?? []);
}

/**
 * The config file of the submit of a campaign's newest manifest, and whether it was named by a flag; null: there was
 * none, or it isn't known.
 */
export async function submittedConfig(
  store: Store,
  campaign: string,
): Promise<{ path: string; named: boolean } | null> {
  const found = await newest(store.db, { campaign });
  if (found === undefined) return null;
  const { given = [], config } = JSON.parse(found.options) as SubmissionOptions;
  const named = given.find(([flag]) => flag === '--config')?.[1];
  const path = named ?? config;
  return path === undefined ? null : { path, named: named !== undefined };
}
