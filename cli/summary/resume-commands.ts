import { existsSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type RunningLedger } from '../../ledger/interfaces/running';
import { type RunInfo } from '../../ledger/model/types';
import { submittedFlags } from '../shared/run-config';
import { placeFlags } from '../terminal/texts/command-text';
import { plural, safeText } from '../terminal/safe-text';
import { flagWords } from '../../wording/given-flags';
import { type NextStep } from '../../wording/next-steps';
import { commandText } from '../../wording/shell';
import { type Settings } from '../config/settings';

/** A running worker reports to the ledger every 5 s. */
export const SILENT_AFTER_MS = 20_000;
/** Maximum number of workers that are checked, most recently seen first. */
const WORKERS = 10;

/** Commands that resume an open run for which no worker is running; null if one is, or if the run has ended. */
export async function resumeSteps(
  settings: Settings,
  ledger: ReadingLedger & RunningLedger,
  info: RunInfo,
): Promise<NextStep[] | null> {
  if (!info.open || (await isAttended(settings, ledger))) return null;
  const cancelled = info.cancelled !== null;
  if (cancelled && (await ledger.openRows(info)) === 0) return null;
  const { configured } = await settings.temporal();
  // Submitting again would be refused because of what was cancelled.
  const again = cancelled || (await hasCancelledRows(ledger, info)) ? null : await runAgain(settings, ledger, info);
  const keepUp = `reelay ${configured ? 'worker' : 'up'}${placeFlags(settings.sandbox)}`;
  return [
    ...(again === null ? [] : [{ command: again, what: 'resumes it in this terminal, until it ends' }]),
    { command: keepUp, what: 'resumes it and every other open run, until you stop it' },
  ];
}

async function hasCancelledRows(ledger: ReadingLedger & RunningLedger, info: RunInfo): Promise<boolean> {
  if (((await ledger.counts(info)).cancelled ?? 0) === 0) return false;
  const { CANCELLED } = await import('../../ledger/model/converge.js');
  for await (const { code } of ledger.results(info, { states: ['cancelled'] })) if (code === CANCELLED) return true;
  return false;
}

/** The message for a run without a running worker. */
export function workerlessText(id: string, steps: readonly NextStep[]): string {
  return `${noWorkerRunning(id)}: ${steps.map(({ command }) => `\`${command}\``).join(' or ')} resumes it`;
}

/** The same, if the commands follow as next steps. */
export function noWorkerRunning(id: string): string {
  return `no worker is running for ${id}`;
}

/** The message if Temporal knows of no worker. `what` doesn't happen until one runs. */
export function noWorkerText(sandbox: boolean, what = 'is sent'): string {
  return `no worker polls for this ledger: nothing ${what} until one runs (\`reelay worker${placeFlags(sandbox)}\`)`;
}

/** The message if no worker polls for the files of a host. */
export function noFilesWorkerText(host: string): string {
  return `no worker has the files of host ${safeText(host)}: rows with a local file wait until one runs there (\`reelay worker\`)`;
}

/**
 * Whether a worker is running for a ledger's open runs: either another process owns the home's Temporal, and so has a
 * worker; or a worker exists that isn't in this process.
 */
export async function isAttended(settings: Settings, ledger: ReadingLedger & RunningLedger): Promise<boolean> {
  const [{ readRecord }, { currentProcess, isProcessAlive }] = await Promise.all([
    import('../../embedded/stack/home.js'),
    import('../../host/process-identity.js'),
  ]);
  const self = currentProcess().id;
  if (!(await settings.temporal()).configured) {
    const stack = await readRecord(settings.home);
    const held = stack !== null && stack.state !== 'stopping' && stack.owner.id !== self;
    if (held && isProcessAlive(stack.owner) !== 'dead') return true;
  }
  return (await ledger.recentWorkers(WORKERS)).some((worker) => {
    if (worker.id === self) return false;
    const there = isProcessAlive(worker);
    // For a worker in another container, only its silence shows that it ended.
    return there === 'unknown' ? Date.now() - Date.parse(worker.seenAt) < SILENT_AFTER_MS : there === 'alive';
  });
}

/** `reelay run spring.csv --sandbox`; null if it isn't known, or would send rows that a trial left out. */
async function runAgain(
  settings: Settings,
  ledger: ReadingLedger & RunningLedger,
  info: RunInfo,
): Promise<string | null> {
  const counts = await ledger.counts(info);
  const unended = (['planned', 'waiting', 'creating', 'processing'] as const).map((state) => counts[state] ?? 0);
  if (unended.reduce((sum, count) => sum + count, 0) > (await ledger.openRows(info))) return null;
  return runCommand(settings, ledger, info);
}

/**
 * What publishes the rows that a trial left out, once it has ended; nothing if that isn't known. If the manifest itself
 * limits it, that takes only some of them again.
 */
export async function afterTrial(
  settings: Settings,
  ledger: ReadingLedger & RunningLedger,
  info: RunInfo,
): Promise<NextStep[]> {
  const trial = info.open || info.cancelled !== null ? null : await ledger.trial(info);
  if (trial === null) return [];
  const left = (await ledger.counts(info)).planned ?? 0;
  const command = left === 0 ? null : await runCommand(settings, ledger, info);
  if (command === null) return [];
  const { take } = trial;
  if (take === null || left <= take) return [{ command, what: 'publishes the other rows' }];
  return [
    { command, what: `publishes the next ${take === 1 ? 'row' : plural(take, 'row')} (take in the manifest)` },
    { command: `${command} --limit ${String(left)}`, what: 'publishes all other rows' },
  ];
}

/** The command that submits the run's manifest again; null if it isn't known. */
async function runCommand(
  settings: Settings,
  ledger: ReadingLedger & RunningLedger,
  info: RunInfo,
): Promise<string | null> {
  const { manifestPath: path } = info;
  // A firing's rows are submitted by its schedule.
  if (info.startedBy.startsWith('schedule ') || path === null || !(await isReadable(path))) return null;
  // A sheet with corrections, or left-out rows, may have been submitted since: its flags don't fit the manifest.
  const given = await submittedFlags(ledger, info.campaign, path);
  if (given === null) return null;
  const { campaignOfFile } = await import('../../manifests/fields/campaign-name.js');
  const near = isUrl(path) ? path : relative(process.cwd(), path);
  const name = campaignOfFile(path) === info.campaign ? [] : ['--campaign', info.campaign];
  // What was pruned is pruned; a row that the sheet has lost since is to be asked about.
  const left = ['--campaign', '--prune'];
  const flags = flagWords(given.filter(([flag]) => !left.includes(flag)));
  return `${commandText(['run', near.startsWith('..') ? path : near, ...name, ...flags])}${placeFlags(settings.sandbox)}`;
}

/** An existing file, or a URL that was stored completely: one with a query isn't, because that may be a signature. */
async function isReadable(path: string): Promise<boolean> {
  if (!isUrl(path)) return isAbsolute(path) && existsSync(path);
  const { HIDDEN_QUERY } = await import('../../ledger/model/source.js');
  return !path.endsWith(HIDDEN_QUERY);
}

function isUrl(path: string): boolean {
  return /^https?:/u.test(path);
}
