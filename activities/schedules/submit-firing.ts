import { basename } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { type Plan, type PlanAction } from '../../ledger/model/submission-types';
import { SubmissionRefusedError } from '../../ledger/model/errors';
import { type FiringEnd } from '../../ledger/model/firing-types';
import { type RunRef } from '../../ledger/model/types';
import { type ServiceError } from '../../service/errors';
import { isAbsence } from '../../manifests/settings/missing-files';
import { type Prepared, prepareSubmission } from '../../submissions/prepare-submission';
import { settleAccounts, unreadText } from '../../submissions/unread-accounts';
import { type ScheduleDefinition, type SubmitFiringInput, type SubmittedFiring } from './contract';
import { loadPlace, ManifestUnreachableError, shownPlace } from './manifest-place';
import { type FiringDeps } from './open-firing';
import { untilSettled } from './settled-manifest';

/** Actions that make a submit worthwhile. */
const CHANGES: readonly PlanAction[] = ['create', 'update', 'continue', 'attempt', 'recreate', 'prune'];

/**
 * Reads the manifest as it is now, checks it like any submit, and starts or joins the campaign's run with the rows that
 * are not done. If it is repeated after a crash, it submits nothing a second time: the ledger knows what the firing
 * submitted.
 * @throws errors worth a retry: the service or the manifest's server can't be reached
 */
export async function submitFiring(deps: FiringDeps, input: SubmitFiringInput): Promise<SubmittedFiring> {
  const { definition, firing } = input;
  const { ledger } = deps;
  const known = await ledger.firings.get(firing);
  if (known.run !== null) return start(deps, definition, known.run, known.manifestHash ?? '');
  if (known.outcome !== 'open') return ended(known.outcome, known.code, known.reason);
  let prepared: Prepared;
  try {
    prepared = await prepareFiring(deps, input);
  } catch (error) {
    if (error instanceof ManifestUnreachableError) {
      return finish(deps, firing, { outcome: 'refused', code: 'manifest-unreadable', reason: error.message });
    }
    if (isAccessRefused(error)) {
      return finish(deps, firing, { outcome: 'failed', code: 'access-refused', reason: error.message });
    }
    throw error;
  }
  const { reading } = prepared;
  const content = { manifestHash: reading.fileHash };
  const refused = (problems: readonly RefusalProblem[]): Promise<SubmittedFiring> =>
    finish(deps, firing, { outcome: 'refused', ...refusal(problems), ...content, manifestText: reading.text });
  const waiting = waitFor(prepared, input);
  if (waiting !== null) return waiting;
  if (prepared.input === null) return refused(prepared.problems);
  if (typeof reading.settings.missing === 'object' && prepared.awaited.length > 0) {
    const reason = `nothing was sent: ${filesText(prepared.awaited)} still being written after the wait`;
    return finish(deps, firing, { outcome: 'refused', code: 'files-awaited', reason, ...content });
  }
  // As a firing: rows that a manual trial has taken don’t count.
  const plan = await ledger.plan({ ...prepared.input, firing });
  if (plan.problems.some(({ severity }) => severity === 'error')) return refused(plan.problems);
  if (!hasWork(plan)) {
    const { awaited, unread, skipped } = prepared;
    const note = unreadNote(prepared);
    // Rows that could not be looked up are left out, and without them there is nothing to send: the same as a service
    // that can't be read.
    if (note !== null && skipped.length > 0) {
      if (unread.every(({ keyRefused }) => keyRefused))
        return finish(deps, firing, { outcome: 'failed', code: 'access-refused', reason: note, ...content });
      throw ApplicationFailure.create({ message: note, type: 'AccountUnread' });
    }
    const [code, reason] =
      awaited.length === 0
        ? ['nothing-left', 'no row of the manifest is left to send']
        : ['files-awaited', `nothing to send yet: ${filesText(awaited)} missing, or still being written`];
    const left = leftOutNote(prepared);
    const why = left === null ? reason : `${reason}; ${left}`;
    return finish(deps, firing, { outcome: 'nothing', code, reason: why, ...content });
  }
  try {
    const { run } = await ledger.submit({
      ...prepared.input,
      configured: { settings: definition.read.fallbackSettings ?? {}, defaults: definition.read.defaults ?? {} },
      firing,
      firingNote: firingNote(prepared),
      ...(deps.filesHost === undefined ? {} : { filesHost: deps.filesHost }),
    });
    const accounts = new Set(reading.rows.map((row) => row.account ?? definition.account));
    await settleAccounts(ledger, { accounts, unread: prepared.unread, by: prepared.input.by });
    return await start(deps, definition, run, reading.fileHash);
  } catch (error) {
    if (error instanceof SubmissionRefusedError) return refused(error.problems);
    throw error;
  }
}

/** Files to be waited for, unless that has lasted long enough or something else is wrong too. */
function waitFor(prepared: Prepared, { waitOver }: SubmitFiringInput): SubmittedFiring | null {
  const { missing } = prepared.reading.settings;
  if (typeof missing !== 'object' || waitOver || prepared.awaited.length === 0) return null;
  const errors = prepared.problems.filter(({ severity }) => severity === 'error');
  if (!errors.every(isAbsence)) return null;
  return { kind: 'missing', waitMs: missing.waitMs, files: prepared.awaited.slice(0, 20) };
}

/** The accounts whose rows wait or are left out; null: every account could be read. */
function unreadNote({ unread, skipped }: Prepared): string | null {
  if (unread.length === 0) return null;
  const leftOut = skipped.filter(({ code }) => code === 'account-unread').length;
  const rows = leftOut === 1 ? '1 row is' : `${leftOut} rows are`;
  const unknown = leftOut === 0 ? [] : [`${rows} left out until the profile can be looked up`];
  return [...unread.map(unreadText), ...unknown].join('; ');
}

/** What the firing leaves for another one, and why; null: nothing. */
function firingNote(prepared: Prepared): string | null {
  const notes = [unreadNote(prepared), leftOutNote(prepared)].filter((note) => note !== null);
  return notes.length === 0 ? null : notes.join('; ');
}

const LEFT_OUT: readonly string[] = ['folder-left', 'folder-again', 'file-awaited'];
const SHOWN = 5;

/** The files that the manifest leaves out, each with its reason. */
function leftOutNote({ problems }: Prepared): string | null {
  const left = problems
    .filter(({ code }) => LEFT_OUT.includes(code))
    // A folder's file is named before the message and in it.
    .map(({ message, file }) => message.slice(message.startsWith(`${file}: ${file} `) ? `${file}: `.length : 0))
    .map((message) => message.replace(/\.$/u, ''));
  if (left.length === 0) return null;
  const more = left.length - SHOWN;
  return [...left.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more files are left out`] : [])].join('; ');
}

function filesText(files: readonly string[]): string {
  return files.length === 1 ? `${files[0] ?? ''} is` : `${files[0] ?? ''} and ${files.length - 1} more are`;
}

async function prepareFiring(deps: FiringDeps, { definition, nominalAt }: SubmitFiringInput): Promise<Prepared> {
  const { take, vanished, manifest } = definition;
  if (manifest.kind === 'path') await untilSettled(manifest.path);
  return prepareSubmission(
    {
      accounts: deps.accounts,
      plan: (submission) => deps.ledger.plan(submission),
      knownFiles: (campaign) => deps.ledger.knownFiles(campaign),
      knownProfiles: (account) => deps.ledger.knownProfiles(account),
    },
    {
      manifest: await loadPlace(manifest, deps.privateHosts),
      read: { ...definition.read, now: deps.now(), nominal: { at: Date.parse(nominalAt), zone: definition.zone } },
      account: definition.account,
      ...(take === null ? {} : { select: { limit: take } }),
      ...(vanished === null ? {} : { vanished }),
      // The content of the file at the time of the firing counts, even if it went back to an earlier version.
      forceOld: true,
      // A firing has no terminal to ask on.
      cancelled: 'leave',
      by: `schedule ${definition.schedule}`,
    },
  );
}

function hasWork(plan: Plan): boolean {
  return plan.rows.some(({ action, selected }) => selected && CHANGES.includes(action));
}

async function start(
  deps: FiringDeps,
  { schedule, manifest }: ScheduleDefinition,
  run: RunRef,
  hash: string,
): Promise<SubmittedFiring> {
  const name = basename(shownPlace(manifest));
  await deps.schedules.startCampaign({ run, manifest: { name, hash }, by: `schedule ${schedule}` });
  return { kind: 'submitted', run };
}

async function finish(
  deps: FiringDeps,
  firing: number,
  end: FiringEnd & { code: string; reason: string },
): Promise<SubmittedFiring> {
  const { outcome, code, reason } = await deps.ledger.firings.end(firing, end);
  return ended(outcome, code, reason);
}

function ended(outcome: string, code: string | null, reason: string | null): SubmittedFiring {
  const known = outcome === 'nothing' || outcome === 'refused' ? outcome : 'failed';
  return { kind: 'ended', outcome: known, code: code ?? '', reason: reason ?? '' };
}

interface RefusalProblem {
  severity: string;
  line: number | null;
  code: string;
  message: string;
}

function refusal(problems: readonly RefusalProblem[]): { code: string; reason: string } {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const where = first?.line === null || first?.line === undefined ? '' : `line ${first.line}: `;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return {
    code: first?.code ?? 'refused',
    reason: `the manifest was refused, nothing was sent: ${where}${first?.message ?? ''}${more}`,
  };
}

function isAccessRefused(error: unknown): error is ServiceError {
  return error instanceof Error && (error as { kind?: unknown }).kind === 'access';
}
