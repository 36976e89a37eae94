import { mayExist, placeOf } from '../../ledger/model/location';
import { join } from 'node:path';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo, type RunRef, type ViewRef } from '../../ledger/model/types';
import { ExitError } from '../errors/errors';
import { EXIT } from '../errors/exit-codes';
import { openLedgerReadOnly, openOwnLedger } from '../stack/engine';
import { type Settings } from '../config/settings';
import { placeFlags } from '../terminal/texts/command-text';
import { shellWord } from '../../wording/shell';

/**
 * Resolves RUN as a person writes it: `NAME.N`, `NAME` (its newest run), `latest` or a workflow id.
 * @throws ExitError if no run has that name, or two have it
 */
export async function findRun(ledger: Ledger, text: string): Promise<RunInfo> {
  const name = text.trim();
  const found = await lookUp(ledger, name);
  if (found) return found;
  const runs = await ledger.listRuns({ limit: 200 });
  if (runs.length === 0) throw noRuns(ledger.location);
  throw new ExitError(
    'no-such-run',
    `there is no run “${text}” in the ledger ${ledger.location}`,
    EXIT.usage,
    await nearby(text, runs),
  );
}

/** The run that a submit or retry has just returned. */
export async function runOf(ledger: Ledger, run: RunRef): Promise<RunInfo> {
  const found = await ledger.findRun(run);
  if (found) return found;
  throw new Error(`the ledger has no run ${run.campaign}.${run.number}`);
}

async function lookUp(ledger: Ledger, name: string): Promise<RunInfo | null> {
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
export async function findView(ledger: Ledger, text: string): Promise<FoundView> {
  const info = await findRun(ledger, text);
  const { campaign } = info;
  const whole = ['latest', campaign, `campaign/${campaign}`].includes(text.trim());
  return { info, view: whole ? { campaign, number: null } : info };
}

/**
 * Opens an existing ledger: viewing runs never creates one. `change`: something will be sent afterwards, so a ledger
 * that was rolled back is refused.
 * @throws ExitError if there is none
 */
export async function openExistingLedger(settings: Settings, use: 'look' | 'change' = 'look'): Promise<Ledger> {
  if (!mayExist(settings.ledger)) throw noRuns(placeOf(settings.ledger));
  return use === 'change' ? openOwnLedger(settings) : openLedgerReadOnly(settings);
}

/** If a run was not found but the sandbox has it, says so. @throws what `find` throws */
export async function findHereOrInSandbox<T>(settings: Settings, name: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    const isMissing = error instanceof ExitError && ['no-such-run', 'no-runs'].includes(error.code);
    if (!isMissing || settings.sandbox) throw error;
    const sandbox = { ...settings, ledger: { path: join(settings.root, 'sandbox', 'ledger.db') } };
    if (!mayExist(sandbox.ledger)) throw error;
    const ledger = await openLedgerReadOnly(sandbox);
    try {
      if ((await lookUp(ledger, name.trim())) === null) throw error;
    } finally {
      await ledger.close();
    }
    const hint =
      name.trim() === 'latest'
        ? `The sandbox has runs: \`reelay status${placeFlags(true)}\` shows the newest.`
        : `It is a sandbox run: \`reelay status ${shellWord(name)}${placeFlags(true)}\`.`;
    throw new ExitError(error.code, error.message, EXIT.usage, hint);
  }
}

function noRuns(location: string): ExitError {
  return new ExitError(
    'no-runs',
    `there are no runs yet in the ledger ${location}`,
    EXIT.usage,
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
