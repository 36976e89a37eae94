import { createHash } from 'node:crypto';
import { type LeftOutRow, type Plan, type PlanAction, type SubmissionInput } from '../ledger/model/submission-types';
import { type CampaignSettings, type Entry, type RowValues } from '../ledger/model/types';
import { problemsToSend } from './deferred-errors';
import { cellName } from '../manifests/parse/workbook/workbook-table';
import { type Place, type Problem } from '../manifests/problems/problems';
import { type KnownProfile, resolveProfiles } from '../manifests/checks/channel/profiles';
import { readManifest } from '../manifests/read-manifest';
import { type RejectedRow, partitionRows } from './partition-rows';
import { ServiceError } from '../service/errors';
import { onePerLine, type UnreadAccount, unreadProblem, unreadRows, type UnreadRows } from './unread-accounts';
import { type ManifestReading, type ManifestRow, type ManifestSource, type ReadOptions } from '../manifests/types';
import { type Profile } from '../service/api/profile';
import { type AccountRegistry } from '../service/accounts';
import { type KnownFile } from '../ledger/rows/known-files';
import { leftForLater } from '../manifests/settings/missing-files';
import { recognizeFiles } from './folder-files';
import { awaitedFiles } from './missing-files';
import { unknownRows } from './unknown-rows';

/** Default for the maximum number of open creates. */
export const CHANNEL_CONCURRENCY = 4;
export const ACCOUNT_CONCURRENCY = 16;

/** From this difference to the service's clock on, times of a manifest are noticeably early or late. */
export const CLOCK_OFF_MS = 30_000;

export interface PrepareInput extends Omit<SubmissionInput, 'campaign' | 'snapshot' | 'entries'> {
  manifest: ManifestSource;
  read: ReadOptions;
  /** The account for rows that don't name one. */
  account: string;
  /** Leaves out rows with errors, instead of refusing the whole manifest. */
  skipInvalid?: boolean;
}

export interface Prepared {
  reading: ManifestReading;
  /** All problems by line, including those of profiles; without those of rows that are left out. */
  problems: Problem[];
  /** Rows that are left out, with their errors: only if that was requested. */
  rejected: RejectedRow[];
  skipped: Problem[];
  /** Accounts that could not be read: the profiles of their rows come from the ledger. */
  unread: readonly UnreadAccount[];
  /** Files that rows wait for; with `missing: skip` these rows are left out. */
  awaited: readonly string[];
  /** Accounts whose service's clock differs from this machine's, and how far it is ahead (ms). */
  clocks: readonly { account: string; aheadMs: number }[];
  /** The ids of the profiles that the service shows, by account. */
  profiles: ReadonlyMap<string, readonly string[]>;
  /** Null if there are errors: nothing may be sent then. */
  input: SubmissionInput | null;
}

export interface PrepareDeps {
  accounts: AccountRegistry;
  /**
   * What the ledger would do with the rows; needed only if a row has a problem that no longer counts once it was sent
   * (a past time, a file that is gone), or is from a results sheet.
   */
  plan(input: SubmissionInput): Promise<Plan>;
  /** The files that a campaign has had; needed only if the manifest is a folder. */
  knownFiles(campaign: string): Promise<KnownFile[]>;
  /**
   * Profiles that rows of an account have had, according to the ledger. With it, an account that can't be read doesn't
   * keep other accounts' rows from being sent; without it, the whole manifest waits.
   */
  knownProfiles?(account: string): Promise<KnownProfile[]>;
}

/**
 * Reads and checks a manifest against the service's profiles (section 4.1), and turns it into the ledger's input.
 * Creates nothing and writes nothing.
 * @throws ServiceError, with the account's name in its message, if no account's profiles can be read
 */
export async function prepareSubmission(deps: PrepareDeps, input: PrepareInput): Promise<Prepared> {
  const read = await readManifest(input.manifest, input.read);
  const recognized =
    read.folder === true ? await recognizeFiles(read.rows, await deps.knownFiles(read.campaign)) : null;
  const reading = recognized === null ? read : { ...read, rows: recognized.rows };
  const { problems: fromProfiles, unread, clocks, profiles } = await checkProfiles(deps, reading, input);
  const leftOut = new Map(
    unread.flatMap(({ unresolved, account, reason }) =>
      unresolved.map((row) => [row, unreadProblem(row, account, reason)]),
    ),
  );
  const plan = needsPlan(reading) ? await deps.plan(toSubmission(reading, input)) : null;
  const stillToSend = rowsToSend(reading, plan);
  const awaited = await awaitedFiles(reading, (row) => stillToSend.has(row.position));
  const later = reading.settings.missing === 'skip' ? awaited.rows : new Set<ManifestRow>();
  const rows = reading.rows.filter((row) => !later.has(row) && !leftOut.has(row));
  const problems = [
    ...problemsToSend(reading, (row) => stillToSend.has(row.position) && !later.has(row) && !leftOut.has(row)),
    ...fromProfiles,
    ...(plan === null ? [] : unknownRows(reading, plan)),
    ...[...later].map(leftForLater),
    ...(recognized?.problems ?? []),
  ];
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const refused = problems.some((problem) => problem.severity === 'error');
  const { files } = awaited;
  const common = { reading, unread, clocks, profiles, awaited: files };
  const unresolved = [...leftOut].map(([row, { code, message }]) => ({
    line: row.line,
    cells: row.cells,
    code,
    message,
  }));
  if (!refused || input.skipInvalid !== true) {
    const [rejected, skipped] = refused ? [[], []] : [onePerLine(unresolved), [...leftOut.values()]];
    return {
      ...common,
      problems,
      rejected,
      skipped,
      input: refused ? null : { ...toSubmission({ ...reading, rows }, input), ...leftOutRows(reading, rejected) },
    };
  }
  const { good, rejected, skipped, left } = partitionRows({ ...reading, rows }, problems, new Set(fromProfiles));
  const stillRefused = good.length === 0 || left.some((problem) => problem.severity === 'error');
  if (stillRefused) return { ...common, problems, rejected: [], skipped: [], input: null };
  const all = onePerLine([...rejected, ...unresolved]);
  const partitioned = { ...toSubmission({ ...reading, rows: good }, input), ...leftOutRows(reading, all) };
  return { ...common, problems: left, rejected: all, skipped: [...skipped, ...leftOut.values()], input: partitioned };
}

/** What is known of the rows on the rejected lines. */
function leftOutRows(
  reading: Pick<ManifestReading, 'rows' | 'invalidRows'>,
  rejected: readonly RejectedRow[],
): Pick<SubmissionInput, 'leftOut'> {
  if (rejected.length === 0) return {};
  const lines = new Set(rejected.map(({ line }) => line));
  const of = (rows: readonly LeftOutRow[]): LeftOutRow[] =>
    rows.filter(({ line }) => lines.has(line)).map(({ line, key, source }) => ({ line, key, source }));
  return { leftOut: [...of(reading.invalidRows), ...of(reading.rows)] };
}

/** Checks the rows of each account with its profiles; an account that can't be read doesn't delay the others. */
async function checkProfiles(
  deps: Pick<PrepareDeps, 'accounts' | 'knownProfiles'>,
  reading: ManifestReading,
  input: PrepareInput,
): Promise<Pick<Prepared, 'clocks' | 'profiles'> & { problems: Problem[]; unread: UnreadRows[] }> {
  const problems: Problem[] = [];
  const unread: UnreadRows[] = [];
  const clocks: { account: string; aheadMs: number }[] = [];
  const shown = new Map<string, readonly string[]>();
  const failures: ServiceError[] = [];
  const { strict = false, allProblems = false } = input.read;
  const { workbook } = reading;
  const cells = workbook === undefined ? {} : { cellOf: (at: Place) => cellName(workbook, at) };
  const accountOf = (row: { account: string | null }): string => row.account ?? input.account;
  const accounts = new Set<string>();
  for (const row of reading.rows) accounts.add(accountOf(row));
  for (const row of reading.unsoundRows) accounts.add(accountOf(row));
  for (const account of accounts) {
    const rows = reading.rows.filter((row) => accountOf(row) === account);
    const unsound = reading.unsoundRows.filter((row) => accountOf(row) === account);
    try {
      const { profiles, aheadMs } = await deps.accounts.get(account).client.probe();
      shown.set(
        account,
        profiles.map(({ id }) => id),
      );
      if (aheadMs !== null && Math.abs(aheadMs) >= CLOCK_OFF_MS) clocks.push({ account, aheadMs });
      const { repeat } = reading.settings;
      const options = { strict, allProblems, unsound, repeat, ...cells };
      problems.push(...resolveProfiles(rows, profiles.map(toKnownProfile), options));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      error.message = `account ${account}: ${error.message}`;
      failures.push(error);
      if (deps.knownProfiles === undefined) throw error;
      unread.push(unreadRows(account, error, rows, await deps.knownProfiles(account)));
    }
  }
  if (failures[0] !== undefined && failures.length === accounts.size) throw failures[0];
  return { problems, unread, clocks, profiles: shown };
}

/** Whether what the ledger has of its rows decides if they have problems. */
function needsPlan({ rows }: ManifestReading): boolean {
  return rows.some((row) => row.deferredErrors.length > 0 || row.recordedState !== undefined);
}

/** Positions of the rows that a submit would send. */
function rowsToSend(reading: ManifestReading, plan: Plan | null): ReadonlySet<number> {
  const all = new Set(reading.rows.map((row) => row.position));
  const done: readonly PlanAction[] = ['leave', 'too-late', 'differs', 'skip', 'patch'];
  for (const { position, action } of plan?.rows ?? [])
    if (position !== null && done.includes(action)) all.delete(position);
  return all;
}

/** What the service leaves out counts as not shown, never as wrong (sections 2.1 and 2.2). */
function toKnownProfile(profile: Profile): KnownProfile {
  return {
    id: profile.id,
    name: profile.name ?? profile.id,
    channels: profile.channels.flatMap(({ platform }) => (platform === null ? [] : [{ platform }])),
  };
}

function toSubmission(reading: ManifestReading, input: PrepareInput): SubmissionInput {
  const settings = campaignSettings(reading);
  // A file of a folder is recognised by its content, also under a name that another one had.
  const entries = entriesOf(reading.rows, { account: input.account, bySource: reading.folder !== true });
  const { acceptDifferences, recreate, cancelled, by } = input;
  const { take } = reading.settings;
  const template = reading.settings.template === true;
  const moving = template || reading.folder === true;
  // For such a manifest it is normal that rows come and go with the date.
  const vanished = input.vanished ?? (moving ? 'keep' : undefined);
  const forceOld = input.forceOld === true || moving;
  const rekey = input.rekey === true || template;
  const own = input.select === undefined && take !== undefined;
  const select = own ? { limit: take } : input.select;
  return {
    by,
    ...(select === undefined ? {} : { select }),
    ...(own ? { take: true } : {}),
    ...(vanished === undefined ? {} : { vanished }),
    forceOld,
    rekey,
    ...(acceptDifferences === undefined ? {} : { acceptDifferences }),
    ...(recreate === undefined ? {} : { recreate }),
    ...(cancelled === undefined ? {} : { cancelled }),
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
  };
}

function campaignSettings(reading: ManifestReading): CampaignSettings {
  const { late, giveUpAfterMs, ambiguous, repeat, pace, notify, timezone } = reading.settings;
  return {
    late,
    giveUpAfterMs,
    ambiguous,
    repeat: repeat === 'every-run' ? 'allow' : repeat,
    channelConcurrency: CHANNEL_CONCURRENCY,
    accountConcurrency: ACCOUNT_CONCURRENCY,
    ...(pace === undefined ? {} : { pace }),
    ...(notify === undefined ? {} : { notify }),
    ...(timezone === undefined ? {} : { timezone }),
  };
}

/** Built on request, each time again: stored beside the rows they would take as much memory again. */
function entriesOf(rows: readonly ManifestRow[], how: { account: string; bySource: boolean }): Iterable<Entry> {
  return {
    *[Symbol.iterator]() {
      for (const row of rows) yield toEntry(row, how);
    },
  };
}

function toEntry(row: ManifestRow, { account, bySource }: { account: string; bySource: boolean }): Entry {
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
    ...(row.deadline === null ? {} : { deadline: row.deadline }),
    ...(row.sourceExpiresAt === undefined ? {} : { sourceExpiresAt: row.sourceExpiresAt }),
    ...(row.fileSize === undefined ? {} : { fileSize: row.fileSize }),
    ...(row.fileModifiedMs === undefined ? {} : { fileModifiedMs: row.fileModifiedMs }),
    ...(row.fileMark === undefined ? {} : { fileMark: row.fileMark }),
  };
  return {
    position: row.position,
    line: row.line,
    key: row.key,
    ...(bySource && !row.keyGiven ? { bySource: true } : {}),
    account: row.account ?? account,
    values,
    skip: row.skip,
    cells: row.cells,
    ...(row.recordedVersion === undefined ? {} : { version: row.recordedVersion }),
  };
}

/**
 * Two manifests with the same hash request exactly the same. Only settings that affect rows: their times are absolute,
 * so the zone in which they are shown isn't included. Earlier versions didn't have `bySource`.
 */
function hashOf(entries: Iterable<Entry>, settings: CampaignSettings): string {
  const hash = createHash('sha256').update(JSON.stringify({ ...settings, timezone: undefined }));
  for (const entry of entries) hash.update('\n').update(JSON.stringify({ ...entry, bySource: undefined }));
  return hash.digest('hex');
}
