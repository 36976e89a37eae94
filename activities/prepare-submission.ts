import { createHash } from 'node:crypto';
import { type CampaignSettings, type Entry, type RowValues, type SubmissionInput } from '../ledger/types';
import { resolveProfiles } from '../manifests/profiles';
import { type Problem } from '../manifests/problems';
import { readManifest } from '../manifests/read-manifest';
import { type ManifestReading, type ManifestRow, type ManifestSource, type ReadOptions } from '../manifests/types';
import { type AccountRegistry } from './deps';

/** Creates kept open at once (design's defaults). */
export const CHANNEL_CONCURRENCY = 4;
export const ACCOUNT_CONCURRENCY = 16;

export interface PrepareInput extends Omit<SubmissionInput, 'campaign' | 'snapshot' | 'entries'> {
  manifest: ManifestSource;
  read: ReadOptions;
  /** The account of rows that name none. */
  account: string;
}

export interface Prepared {
  reading: ManifestReading;
  /** All problems, those of profiles included, by line. */
  problems: Problem[];
  /** Null when there are errors: nothing may be sent then. */
  input: SubmissionInput | null;
}

/**
 * Reads and checks a manifest with what the service knows of its profiles (section 4.1), and makes of it what the ledger
 * takes. Sends nothing that creates, writes nothing.
 * @throws ServiceError when the profiles can't be read
 */
export async function prepareSubmission(deps: { accounts: AccountRegistry }, input: PrepareInput): Promise<Prepared> {
  const reading = await readManifest(input.manifest, input.read);
  const problems = [...reading.problems];
  for (const account of new Set(reading.rows.map((row) => row.account ?? input.account))) {
    const rows = reading.rows.filter((row) => (row.account ?? input.account) === account);
    const { profiles } = await deps.accounts.get(account).client.listProfiles();
    problems.push(...resolveProfiles(rows, profiles));
  }
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  if (problems.some((problem) => problem.severity === 'error')) return { reading, problems, input: null };

  const settings = campaignSettings(reading);
  const entries = reading.rows.map((row) => toEntry(row, input.account));
  const { manifest, read, account, ...choices } = input;
  void manifest;
  void read;
  void account;
  return {
    reading,
    problems,
    input: {
      ...choices,
      campaign: reading.campaign,
      snapshot: {
        hash: hashOf(entries, settings),
        fileHash: reading.fileHash,
        path: reading.path,
        format: reading.format,
        text: reading.text,
        columns: reading.columns,
        settings,
      },
      entries,
    },
  };
}

function campaignSettings(reading: ManifestReading): CampaignSettings {
  const { late, giveUpAfterMs, ambiguous, repeat } = reading.settings;
  return {
    late,
    giveUpAfterMs,
    ambiguous,
    repeat,
    channelConcurrency: CHANNEL_CONCURRENCY,
    accountConcurrency: ACCOUNT_CONCURRENCY,
  };
}

function toEntry(row: ManifestRow, account: string): Entry {
  const values: RowValues = {
    source: row.source,
    sourceKind: row.sourceKind,
    platform: row.platform,
    platformKind: row.platformKind,
    profileId: row.profileId,
    profileName: row.profileName,
    title: row.title,
    description: row.description,
    privacy: row.privacy as RowValues['privacy'],
    status: row.status,
    publishAt: row.publishAt,
    via: row.via,
    ...(row.fileSize === undefined ? {} : { fileSize: row.fileSize }),
    ...(row.fileModifiedMs === undefined ? {} : { fileModifiedMs: row.fileModifiedMs }),
  };
  return {
    position: row.position,
    line: row.line,
    key: row.key,
    account: row.account ?? account,
    values,
    skip: row.skip,
    cells: row.cells,
  };
}

/** Two manifests with the same hash ask for exactly the same. */
function hashOf(entries: readonly Entry[], settings: CampaignSettings): string {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const entry of entries) hash.update('\n').update(JSON.stringify(entry));
  return hash.digest('hex');
}
