import { type AccountRegistry } from '../../service/accounts';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo } from '../../ledger/model/types';
import { openAccounts, openOwnLedger } from '../stack/engine';
import { type ExitCode } from '../errors/exit-codes';
import { listenForInterrupts } from '../../host/interrupts';
import { busy } from '../terminal/busy';
import { type Output } from '../terminal/output';
import { RunEngine } from '../stack/run-engine';
import { type FinishInput, finishRun } from './run-finish';
import { type Settings } from '../config/settings';
import { lostAnswers } from '../summary/run-liveness';
import { watchRun } from './watch-run';

/** What a command needs to process a run: Temporal and the sandbox, started if they aren't running, ledger and accounts. */
export interface OwnRun {
  settings: Settings;
  output: Output;
  engine: RunEngine;
  ledger: Ledger;
  accounts: AccountRegistry;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Opens all of it for some work, and closes it in order whatever the result. */
export async function withOwnRun(
  input: { settings: Settings; output: Output; singleHost: boolean },
  work: (own: OwnRun) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { settings, output, singleHost } = input;
  const interrupts = listenForInterrupts(() => {
    output.note('Stopping after the current sends. Ctrl-C again exits at once.');
  });
  const { signal } = interrupts;
  const engine = new RunEngine(settings, output);
  try {
    await busy(output, 'Starting', () => engine.open({ singleHost }));
    const accounts = await openAccounts(settings, engine.sandboxUrl ?? undefined);
    const ledger = await openOwnLedger(settings);
    try {
      return await work({ settings, output, engine, ledger, accounts, signal });
    } finally {
      // The worker writes into the ledger until it has stopped.
      await engine.close(signal);
      await ledger.close();
      await accounts.close();
    }
  } finally {
    await engine.close();
    interrupts.release();
  }
}

/** Follows a run to its end, and writes its results. */
export async function followOwnRun(
  { settings, output, engine, ledger, accounts, signal }: OwnRun,
  input: {
    run: RunInfo;
    /** Starts the run in Temporal again, after its server was lost. */
    tell: () => Promise<void>;
    timeoutMs: number | undefined;
    attached: boolean;
    /** The folder for results, for the run as it is at its end. */
    folderOf: (run: RunInfo) => string;
    also?: FinishInput['also'];
  },
): Promise<ExitCode> {
  const { run, tell, timeoutMs, attached, folderOf, also = [] } = input;
  const watched = await watchRun({
    ledger,
    run,
    output,
    sandbox: settings.sandbox,
    signal,
    liveness: async (watched) => ({ goOn: null, lost: await lostAnswers(settings, ledger, watched) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    onRound: async () => {
      if (await engine.tend(ledger, accounts)) await tell();
    },
  });
  const folder = folderOf(watched.run);
  return finishRun({ output, settings, engine, ledger, watched, folder, attached, also });
}
