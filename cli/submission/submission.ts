import { type AccountRegistry } from '../../service/accounts';
import { type Prepared } from '../../submissions/prepare-submission';
import { type UnreadAccount } from '../../submissions/unread-accounts';
import { type KnownFile } from '../../ledger/rows/known-files';
import { type Ledger } from '../../ledger/ledger';
import { type SubmissionInput, type SubmissionResult } from '../../ledger/model/submission-types';
import { type RejectedRow } from '../../submissions/partition-rows';
import { type ManifestReading } from '../../manifests/types';
import { problemsOf } from '../errors/explain-error';
import { RefusedError, type ShownProblem, UsageError } from '../errors/errors';
import { differsReason, type Reason } from '../summary/reasons';
import { configured, readOptions, sourceName, type ManifestSource } from './manifest-flags';
import { type Output } from '../terminal/output';
import { problemCounts, problemLines } from '../terminal/texts/problems-text';
import { showDuration } from '../../wording/times';
import { plural, safeText } from '../terminal/safe-text';
import { type Settings } from '../config/settings';
import { submitOrAsk } from './cancelled-rows';
import { givenFlags } from './given-flags';
import { type LackingFlags, lackingFlags } from './lacking-flags';
import { fixHint } from './sheet-owner';
import { submitChoices, type SubmitFlags } from './submit-flags';

export interface PreparedManifest {
  reading: ManifestReading;
  /** Null if there are errors. */
  input: SubmissionInput | null;
  problems: readonly ShownProblem[];
  /** Rows left out by `--skip-invalid`, and their errors. */
  rejected: readonly RejectedRow[];
  skipped: readonly ShownProblem[];
  /** Accounts whose service's clock differs from this machine's, and how far it is ahead (ms). */
  clocks: Prepared['clocks'];
  profiles: Prepared['profiles'];
  /** Accounts that could not be read; their rows wait, or are left out if their profile is not known. */
  unread: readonly UnreadAccount[];
  /** Of a manifest with errors: flags that it was read with before, and that the command lacks. */
  lacking: LackingFlags | null;
}

/** Reads and checks a manifest against the service's profiles; sends and writes nothing. */
export async function prepareManifest(input: {
  source: ManifestSource;
  flags: SubmitFlags;
  settings: Settings;
  accounts: AccountRegistry;
  /** As a firing at that nominal time would read it, ms. */
  nominalAt?: number;
  /** Waits a moment for files of a folder that are still being written, and reports it here. */
  waiting?: Output;
}): Promise<PreparedManifest> {
  const { source, flags, settings, accounts, nominalAt, waiting } = input;
  const { prepareSubmission } = await import('../../submissions/prepare-submission.js');
  const { whoAmI } = await import('../config/settings.js');
  const withLedger = async <T>(work: (ledger: Ledger) => Promise<T>): Promise<T> => {
    const { openForReading } = await import('../stack/engine.js');
    const ledger = await openForReading(settings);
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  };
  const knownFiles = (campaign: string): Promise<KnownFile[]> => withLedger((ledger) => ledger.knownFiles(campaign));
  const prepare = async (): Promise<Prepared> =>
    prepareSubmission(
      {
        accounts,
        plan: (submission) => withLedger((ledger) => ledger.plan(submission)),
        knownFiles,
        knownProfiles: (account) => withLedger((ledger) => ledger.knownProfiles(account)),
      },
      {
        manifest: source,
        read: {
          ...(await readOptions(flags, settings)),
          allProblems: flags.skipInvalid ?? false,
          ...(nominalAt === undefined ? {} : { nominal: { at: nominalAt }, now: Math.max(nominalAt, Date.now()) }),
        },
        account: settings.account,
        skipInvalid: flags.skipInvalid ?? false,
        ...submitChoices(flags),
        ...(nominalAt === undefined ? {} : { forceOld: true }),
        by: await whoAmI(),
      },
    );
  let prepared = await prepare();
  const { untilFolderSettles, nothingToTake } = await import('./folder-wait.js');
  // A firing leaves them for the next one, and may find nothing; a one-off command would create an empty run.
  const oneOff = nominalAt === undefined && (flags.once === true || prepared.reading.settings.schedule === undefined);
  const { unsettled } = prepared.reading;
  if (oneOff && waiting !== undefined && prepared.input !== null && unsettled !== undefined) {
    await untilFolderSettles(unsettled, waiting);
    prepared = await prepare();
  }
  if (oneOff && prepared.reading.folder === true && (await hasNoRows(prepared))) {
    const { reading, problems } = prepared;
    const known = reading.unsettled === undefined && (await knownFiles(reading.campaign)).length > 0;
    if (!known)
      prepared = { ...prepared, input: null, problems: [...problems, nothingToTake({ ...reading, problems })] };
  }
  const { reading, rejected } = prepared;
  if (prepared.input !== null) demandKeys(flags.key ?? [], reading, source);
  // A refused manifest needs no probing, and the sandbox's addresses are made up.
  const probes = flags.probe === true && !settings.sandbox && prepared.input !== null;
  const looked = probes ? await (await import('../../submissions/probe-sources.js')).probeSources(reading.rows) : [];
  const config = settings.configPath === null ? {} : { config: settings.configPath, configured: configured(settings) };
  return {
    reading,
    input: prepared.input === null ? null : { ...prepared.input, given: givenFlags(flags), ...config },
    problems: [...prepared.problems, ...looked],
    rejected,
    skipped: prepared.skipped,
    clocks: prepared.clocks,
    profiles: prepared.profiles,
    unread: prepared.unread,
    lacking: prepared.problems.some(({ severity }) => severity === 'error')
      ? await lackingFlags(reading.campaign, { flags, settings })
      : null,
  };
}

async function hasNoRows({ input }: Prepared): Promise<boolean> {
  if (input === null) return false;
  for await (const entry of input.entries) return entry.position < 0;
  return true;
}

/** @throws UsageError for a key that no row has: a trial of it would send nothing and look successful */
function demandKeys(keys: readonly string[], { rows }: ManifestReading, source: ManifestSource): void {
  if (keys.length === 0) return;
  const known = new Set(rows.map((row) => row.key));
  const missing = keys.filter((key) => !known.has(key));
  if (missing.length === 0) return;
  const some = [...known].slice(0, 5).join(', ');
  throw new UsageError(
    `--key: ${sourceName(source)} has no row with the key ${missing.map((key) => `“${key}”`).join(', ')}`,
    `Its keys are ${some}${known.size > 5 ? ', …' : ''}.`,
  );
}

/** @throws RefusedError with all problems if the manifest has errors; otherwise prints the warnings */
export function demandAccepted(prepared: PreparedManifest, source: ManifestSource, output: Output): SubmissionInput {
  const { input, problems, reading } = prepared;
  output.zone = reading.settings.timezone ?? output.zone;
  if (input === null || problems.some((problem) => problem.severity === 'error')) {
    const message = `${sourceName(source)} has ${problemCounts(problems)}; nothing was sent`;
    const errors = problems.filter(({ severity }) => severity === 'error');
    const [first] = errors;
    const hint =
      errors.length === 1 && first?.code === 'no-rows' ? first.hint : fixHint(source, errors, prepared.lacking);
    throw new RefusedError(message, problems, hint, reading);
  }
  const shown = [...prepared.skipped, ...problems];
  for (const line of problemLines(shown, output, reading)) output.note(line);
  for (const { account, aheadMs } of prepared.clocks) {
    const way = aheadMs > 0 ? 'behind' : 'ahead of';
    output.warn(
      `this machine’s clock is ${showDuration(Math.abs(aheadMs))} ${way} the service’s (account ${safeText(account)}): rows are sent early or late by that much; set the clock (timedatectl set-ntp true)`,
    );
  }
  const take = takeOf(input);
  if (take !== null) output.note(takeText(take));
  return input;
}

/** With `take` in the manifest and no flag that overrides it. */
export function takeOf(input: SubmissionInput | null): number | null {
  return (input?.take === true ? input.select?.limit : undefined) ?? null;
}

export function takeText(take: number): string {
  return `take: only the next ${plural(take, 'row')} (set in the manifest; --limit overrides it).`;
}

/** Rows that are already live and no longer match the manifest. */
export function differing(result: SubmissionResult): Reason[] {
  const rows = result.warnings.filter(({ code }) => code === 'differs').length;
  return rows === 0 ? [] : [differsReason(rows)];
}

/** Whether it has rows with a local file. */
export function hasFiles({ rows }: ManifestReading): boolean {
  return rows.some(({ sourceKind, skip }) => sourceKind === 'file' && !skip);
}

/** Binds the accounts, accepts the manifest in the ledger, and reports the result. */
export async function acceptInLedger(input: {
  ledger: Ledger;
  submission: SubmissionInput;
  settings: Settings;
  accounts: AccountRegistry;
  reading: ManifestReading;
  unread: readonly UnreadAccount[];
  profiles: Prepared['profiles'];
  confirm: boolean;
  output: Output;
}): Promise<SubmissionResult> {
  const { ledger, settings, accounts, reading, profiles, output } = input;
  const { filesHost } = settings;
  const submission = filesHost === null ? input.submission : { ...input.submission, filesHost };
  const names = new Set(reading.rows.map((row) => row.account ?? settings.account));
  // The sandbox's port changes with every start; it is the same account.
  const { bindAccounts, bindProfiles } = await import('../stack/engine.js');
  const confirm = input.confirm || settings.sandbox;
  await bindAccounts(ledger, accounts, { names, confirm });
  for (const [account, ids] of profiles) await bindProfiles(ledger, { account, profiles: ids, confirm });
  const [{ droppedPaceText }, { isAgreed, mayAsk }] = await Promise.all([
    import('./dropped-pace.js'),
    import('../terminal/ask.js'),
  ]);
  const dropped = await droppedPaceText(ledger, submission);
  const result = await submitOrAsk(ledger, submission, mayAsk() ? isAgreed : null);
  if (dropped !== null) output.warn(dropped);
  await openReadAccounts(input, { names, result });
  const warnings = problemsOf(result.warnings) ?? [];
  if (output.isText) for (const line of problemLines(warnings, output, reading)) output.note(line);
  const id = `${result.run.campaign}.${String(result.run.number)}`;
  if (result.repeated)
    output.note('This manifest was submitted before, unchanged: rows that are done stay as they are.');
  if (result.attached) output.note(`Joined run ${id}, started by ${result.startedBy}.`);
  return result;
}

/**
 * The profiles were just read with the account's key, so what was parked for the account is opened, even for a new
 * campaign whose rows the ledger does not have yet. An account whose key was refused is parked before one of its rows
 * is tried.
 */
async function openReadAccounts(
  { ledger, submission, unread, output }: Parameters<typeof acceptInLedger>[0],
  { names, result }: { names: ReadonlySet<string>; result: SubmissionResult },
): Promise<void> {
  const { gateScope } = await import('../../ledger/runs/gates.js');
  const { settleAccounts, unreadText } = await import('../../submissions/unread-accounts.js');
  for (const account of await settleAccounts(ledger, { accounts: names, unread, by: submission.by }))
    output.note(`Account ${safeText(account)} is no longer parked: its key is accepted.`);
  for (const gate of await ledger.gates(result.run)) {
    const ofUnread = unread.some(
      // Ids of channels begin with their account's name.
      ({ account }) =>
        gate.scope === gateScope.account(account) || gate.scope.startsWith(gateScope.channel(`${account}.`)),
    );
    if (gate.kind !== 'parked' || ofUnread) continue;
    await ledger.unpark({ scope: gate.scope, by: submission.by, why: 'submitted again' });
    output.note(`No longer parked (since ${output.time(gate.since)}): ${safeText(gate.reason)}`);
  }
  for (const account of unread) {
    const text = safeText(unreadText(account));
    output.warn(`${text.charAt(0).toUpperCase()}${text.slice(1)}. Rows of other accounts are sent.`);
  }
}
