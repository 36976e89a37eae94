import { type LiveResult } from '../../../ledger/operator/live';
import { type Ledger } from '../../../ledger/ledger';
import { type RunInfo } from '../../../ledger/model/types';
import { wakeRun } from './cancel-target';
import { type CommandContext } from '../../command';
import { ExitError } from '../../errors/errors';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { findChannel } from '../../shared/find-channel';
import { findRun, openExistingLedger } from '../../shared/resolve-run';
import { useZoneOf } from '../../shared/use-zone';
import { plural, safeText } from '../../terminal/safe-text';
import { loadSettings, whoAmI } from '../../config/settings';

/** Maximum number of claimed rows that are listed; the others are counted. */
const NAMED = 5;

export interface LiveChange {
  result: LiveResult;
  /** The change, as text for people. */
  words: string;
  /** False: there was nothing to change. @default true */
  changed?: boolean;
  /** For JSON, in addition to the fields that all changes have. */
  data: Readonly<Record<string, unknown>>;
}

/** Commits a change of an open run in the ledger, wakes the run, and lists the rows that were already being sent. */
export async function changeLive(
  { output, flags }: CommandContext,
  name: string,
  change: (ledger: Ledger, run: RunInfo, by: string) => Promise<LiveChange>,
): Promise<ExitCode> {
  const settings = await loadSettings(flags);
  const ledger = await openExistingLedger(settings, { name });
  try {
    const run = await findRun(settings, ledger, name);
    await useZoneOf(output, ledger, run.campaign);
    const id = `${run.campaign}.${String(run.number)}`;
    if (!run.open) {
      const next = `Submit its manifest again to send the rows that were not sent.`;
      throw new ExitError('run-closed', `${id} has ended: there is nothing to change`, EXIT.usage, next);
    }
    const by = await whoAmI();
    const { result, words, data, changed = true } = await change(ledger, run, by);
    // Also if nothing was changed: the signal of an earlier change may have been lost.
    const wasWoken = await wakeRun(settings, run, output, { changed });
    if (!output.isText) {
      await output.json({ version: 1, run: id, by, ...result, ...data, wasWoken: wasWoken });
      return EXIT.ok;
    }
    await output.lines([`${id}: ${output.local(words)}`]);
    if (result.claimed.length > 0) {
      const named = result.claimed.slice(0, NAMED).map((row) => safeText(row.label));
      const more =
        result.claimed.length > named.length ? `, and ${String(result.claimed.length - named.length)} more` : '';
      output.note(`${plural(result.claimed.length, 'row')} already being sent: ${named.join(', ')}${more}`);
    }
    return EXIT.ok;
  } finally {
    await ledger.close();
  }
}

/** The channel that a flag names; null without one. @throws UsageError that lists the existing channels */
export async function channelNamed(
  ledger: Ledger,
  run: RunInfo,
  name: string | undefined,
): Promise<{ id: string; label: string } | null> {
  return name === undefined ? null : findChannel(ledger, run, name);
}
