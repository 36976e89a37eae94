import { mayExist, placeOf } from '../../ledger/model/location';
import { join } from 'node:path';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo, type RunRef, type ViewRef } from '../../ledger/model/types';
import { ExitError } from '../errors/errors';
import { EXIT } from '../errors/exit-codes';
import { openLedgerReadOnly, openOwnLedger } from '../stack/engine';
import { useConfigOf } from './run-config';
import { type Settings } from '../config/settings';

/**
 * Resolves RUN as a person writes it: `NAME.N`, `NAME` (its newest run), `latest` or a workflow id.
 * @throws ExitError if no run has that name (with a hint if the sandbox has one), or two have it
 */
export async function findRun(settings: Settings, ledger: Ledger, text: string): Promise<RunInfo> {
  const found = await lookUp(ledger, text.trim());
  if (found) {
    await useConfigOf(ledger, found.campaign);
    return found;
  }
  const runs = await ledger.listRuns({ limit: 200 });
  if (runs.length === 0) throw await noRuns(settings, ledger.location, text);
  throw new ExitError(
    'no-such-run',
    `there is no run “${text}” in the ledger ${ledger.location}`,
    EXIT.usage,
    (await inSandbox(settings, text)) ?? (await nearby(text, runs)),
  );
}

/** The run that a submit or retry has just returned. */
export async function runOf(ledger: Ledger, run: RunRef): Promise<RunInfo> {
  const found = await ledger.findRun(run);
  if (found) return found;
  throw new Error(`the ledger has no run ${run.campaign}.${run.number}`);
}

/** The run that a name means; null: none. @throws ExitError if two have it */
export async function lookUp(ledger: Ledger, name: string): Promise<RunInfo | null> {
  if (name === 'latest') return (await ledger.listRuns({ limit: 1 }))[0] ?? null;
  if (name.startsWith('campaign/')) return ofWorkflowPath(ledger, name);
  const [, campaign = '', number = ''] = /^(.+)\.(\d{1,9})$/u.exec(name) ?? [];
  const numbered = campaign === '' ? null : await ledger.findRun({ campaign, number: Number(number) });
  const newest = await ledger.newestRun(name);
  if (numbered && newest) {
    throw new ExitError(
      'ambiguous-run',
      `“${name}” is run ${number} of campaign ${campaign}, and also the campaign ${name}`,
      EXIT.usage,
      `Write campaign/${campaign}/${number} for the run of ${campaign}, or ${name}.${String(newest.number)} for the newest run of ${name}.`,
    );
  }
  return numbered ?? newest ?? ledger.runOfWorkflow(name);
}

/** `campaign/NAME` and `campaign/NAME/N/CHANNEL`, the ids of workflows; a campaign's name has no slash. */
async function ofWorkflowPath(ledger: Ledger, path: string): Promise<RunInfo | null> {
  const [, campaign = '', number] = path.split('/');
  if (number === undefined) return ledger.newestRun(campaign);
  return /^\d{1,9}$/u.test(number) ? ledger.findRun({ campaign, number: Number(number) }) : null;
}

export interface FoundView {
  /** The run itself, or the campaign's newest one. */
  info: RunInfo;
  /** A whole campaign, unless one run was named. */
  view: ViewRef;
}

/**
 * What is shown for a name: `NAME`, `latest` and the id of a campaign's workflow mean the campaign over all its runs;
 * `NAME.N` means one run.
 * @throws ExitError if no run has that name
 */
export async function findView(settings: Settings, ledger: Ledger, text: string): Promise<FoundView> {
  const info = await findRun(settings, ledger, text);
  const { campaign } = info;
  const whole = ['latest', campaign, `campaign/${campaign}`].includes(text.trim());
  return { info, view: whole ? { campaign, number: null } : info };
}

/**
 * Opens an existing ledger: viewing runs never creates one. `change`: something will be sent afterwards, so a ledger
 * that was rolled back is refused. `name`: the run that is looked for.
 * @throws ExitError if there is none
 */
export async function openExistingLedger(
  settings: Settings,
  { use = 'look', name = 'latest' }: { use?: 'look' | 'change'; name?: string } = {},
): Promise<Ledger> {
  if (!mayExist(settings.ledger)) throw await noRuns(settings, placeOf(settings.ledger), name);
  return use === 'change' ? openOwnLedger(settings) : openLedgerReadOnly(settings);
}

/** Where a run is that this ledger doesn't have: a sentence that says so if the sandbox has it, otherwise null. */
export async function inSandbox(settings: Settings, text: string): Promise<string | null> {
  if (settings.sandbox) return null;
  const sandbox = { ...settings, ledger: { path: join(settings.root, 'sandbox', 'ledger.db') } };
  if (!mayExist(sandbox.ledger)) return null;
  const name = text.trim();
  const has = async (): Promise<boolean> => {
    const ledger = await openLedgerReadOnly(sandbox);
    return lookUp(ledger, name)
      .then((run) => run !== null)
      .finally(() => ledger.close());
  };
  // One that can't be read is no help, and no reason to hide what was wrong.
  if (!(await has().catch(() => false))) return null;
  return `${name === 'latest' ? 'The sandbox has runs' : 'It is a sandbox run'}: repeat the command with --sandbox.`;
}

async function noRuns(settings: Settings, location: string, name: string): Promise<ExitError> {
  return new ExitError(
    'no-runs',
    `there are no runs yet in the ledger ${location}`,
    EXIT.usage,
    (await inSandbox(settings, name)) ??
      'Start one with `reelay run MANIFEST`. Runs of the sandbox are found with --sandbox; another home with --home.',
  );
}

async function nearby(text: string, runs: readonly RunInfo[]): Promise<string> {
  const { nearest } = await import('../terminal/nearest.js');
  const names = [...new Set(runs.flatMap((run) => [`${run.campaign}.${String(run.number)}`, run.campaign]))];
  const near = nearest(text, names);
  const guess = near === null ? '' : `Did you mean ${near}? `;
  return `${guess}RUN is NAME (the campaign), NAME.N (one run), \`latest\` or a workflow id; \`reelay list\` shows them.`;
}
