import { type AccountRegistry } from '../../../../service/accounts';
import { type ReadingLedger } from '../../../../ledger/interfaces/reading';
import { type RunningLedger } from '../../../../ledger/interfaces/running';
import { type RunInfo } from '../../../../ledger/model/types';
import { ExitError, type ShownProblem, UsageError } from '../../../errors/errors';
import { EXIT } from '../../../errors/exit-codes';
import { findChannel } from '../../../shared/find-channel';
import { type Output } from '../../../terminal/output';
import { safeText } from '../../../terminal/safe-text';
import { checkVerdict, type CheckedVerdict } from './resolve-check';
import { chooseRow, type Verdict, verdictOf, type VerdictFlags } from './resolve-choice';
import { type Settings } from '../../../config/settings';

export type AskedVerdict = { kind: 'file'; path: string } | { kind: 'row'; key: string; verdict: Verdict };

/** One row by its key, or a file: never both. @throws UsageError */
export function demandOneWay(key: string | undefined, flags: VerdictFlags & { from?: string }): AskedVerdict {
  if (flags.from !== undefined) {
    if (key !== undefined || flags.published !== undefined || flags.notPublished || flags.giveUp)
      throw new UsageError('--from already names the rows and decisions: give no key and no other decision with it');
    return { kind: 'file', path: flags.from };
  }
  if (key === undefined)
    throw new UsageError(
      'the row’s key is missing',
      typeof flags.published === 'string'
        ? `For example \`reelay resolve spring ep-3 --published ID\`. If “${safeText(flags.published)}” is the key of a direct publish, put it before --published.`
        : 'For example `reelay resolve spring ep-3 --not-published`, or --from FILE.csv.',
    );
  return { kind: 'row', key, verdict: verdictOf(flags) };
}

/** Every verdict, checked against ledger and service before anything is written. @throws ExitError with all problems */
export async function collectVerdicts(input: {
  ledger: ReadingLedger & RunningLedger;
  run: RunInfo;
  asked: AskedVerdict;
  flags: { channel?: string };
  accounts: () => Promise<AccountRegistry>;
}): Promise<CheckedVerdict[]> {
  const { ledger, run, asked, flags, accounts } = input;
  const rows = await ledger.resolvable(run);
  if (asked.kind === 'row') {
    const channelId = flags.channel === undefined ? undefined : (await findChannel(ledger, run, flags.channel)).id;
    const wanted = { campaign: run.campaign, key: asked.key, ...(channelId === undefined ? {} : { channelId }) };
    return [await checkVerdict({ ledger, accounts }, chooseRow(rows, wanted), asked.verdict)];
  }
  const { readVerdicts } = await import('./resolve-file.js');
  const { verdicts, problems } = await readVerdicts(asked.path, rows, run.campaign);
  const checked: CheckedVerdict[] = [];
  const named = new Map<string, number>();
  for (const { line, row, verdict } of verdicts) {
    const say = (message: string, hint: string | null): void => {
      const value = verdict.kind === 'published' ? (verdict.publicationId ?? 'published') : verdict.kind;
      problems.push({ severity: 'error', line, column: 'resolve', code: 'resolve-row', value, message, hint });
    };
    const id =
      verdict.kind === 'published' && verdict.publicationId !== null ? `${row.account} ${verdict.publicationId}` : null;
    const before = id === null ? undefined : named.get(id);
    if (before !== undefined)
      say(`line ${String(before)} names the same publication`, 'One publication belongs to one row.');
    else if (id !== null) named.set(id, line);
    try {
      checked.push(await checkVerdict({ ledger, accounts }, row, verdict));
    } catch (error) {
      if (!(error instanceof ExitError)) throw error;
      say(error.message, error.hint);
    }
  }
  if (problems.length > 0) throw fileRefused(asked.path, problems);
  return checked;
}

function fileRefused(path: string, problems: readonly ShownProblem[]): ExitError {
  const count = problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`;
  return new ExitError('resolve-refused', `${path} has ${count}; nothing was settled`, EXIT.usage, null, problems);
}

/** Connects to the service only if a publication has to be read: two of the three decisions need no key. */
export function lazyAccounts(
  settings: Settings,
  output: Output,
): { open: () => Promise<AccountRegistry>; close: () => Promise<void> } {
  let opened: (AccountRegistry & { close(): Promise<void> }) | undefined;
  return {
    async open() {
      if (opened) return opened;
      const { hideKeys, openAccounts, sandboxAddress } = await import('../../../stack/engine.js');
      await hideKeys(settings, output);
      opened = await openAccounts(settings, await sandboxAddress(settings));
      return opened;
    },
    async close() {
      await opened?.close();
    },
  };
}
