import { basename } from 'node:path';
import { type AccountRegistry } from '../../service/accounts';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo, type RunRef } from '../../ledger/model/types';
import { type Client } from '@temporalio/client';
import { type ExitCode } from '../errors/exit-codes';
import { placeFlags } from '../terminal/texts/command-text';
import { noWorkerText } from '../summary/resume-commands';
import { useZoneOf } from '../shared/use-zone';
import { printNext } from '../terminal/texts/next-lines';
import { type Output } from '../terminal/output';
import { type Settings } from '../config/settings';

/** Starts the campaign's workflow for a run in the ledger, or wakes it. Safe to repeat. */
export async function signalRun(client: Client, ledger: Ledger, run: RunRef, by: string): Promise<void> {
  const { startCampaign } = await import('../../temporal/campaigns.js');
  const info = await ledger.findRun(run);
  const counts = await ledger.counts(run);
  await startCampaign(client, {
    run,
    ledgerId: ledger.id,
    sequence: await ledger.sequence(),
    location: ledger.location,
    manifest: { name: basename(info?.manifestPath ?? run.campaign), hash: info?.manifestHash ?? '' },
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    startedBy: by,
  });
}

/**
 * Continues a run that a person changed in the ledger. Returns false if nothing is running that could do it: the
 * decision is in the ledger anyway, and the command to start is shown.
 */
export async function wakeOrWarn(input: {
  output: Output;
  settings: Settings;
  ledger: Ledger;
  run: RunRef;
  by: string;
}): Promise<boolean> {
  const { output, settings, ledger, run, by } = input;
  const { connect, locateTemporal } = await import('../stack/engine.js');
  const place = await locateTemporal(settings);
  const id = `${run.campaign}.${String(run.number)}`;
  const flag = placeFlags(settings.sandbox);
  let temporal;
  try {
    temporal = await connect(place);
  } catch (error) {
    output.warn(`it is in the ledger, but no run executes it yet: ${(error as Error).message}`);
    printNext(output, [
      { command: `reelay retry ${id} --watch${flag}`, what: 'starts what is missing, and follows the run' },
    ]);
    return false;
  }
  try {
    await signalRun(temporal.client, ledger, run, by);
    const { countPollers } = await import('../../temporal/campaigns.js');
    if ((await countPollers(temporal.client, ledger.id)) > 0) return true;
    output.warn(noWorkerText(settings.sandbox));
    return false;
  } finally {
    await temporal.close();
  }
}

/** Follows a run to its end and starts what isn't running, as `run` does. */
export async function watchOn(input: {
  output: Output;
  settings: Settings;
  /** Before anything is sent to Temporal: returns the run that continues. */
  prepare: (ledger: Ledger, accounts: AccountRegistry) => Promise<RunInfo | null>;
  by: string;
  singleHost: boolean;
  timeoutMs: number | undefined;
}): Promise<ExitCode> {
  const { output, settings, by, timeoutMs, singleHost } = input;
  const [{ followOwnRun, withOwnRun }, { accountsOfRun, bindAccounts }, { resultsFolder }, { EXIT }] =
    await Promise.all([
      import('./local-run.js'),
      import('../stack/engine.js'),
      import('../summary/left-out.js'),
      import('../errors/exit-codes.js'),
    ]);
  return withOwnRun({ settings, output, singleHost }, async (own) => {
    const { engine, ledger, accounts } = own;
    const run = await input.prepare(ledger, accounts);
    if (run === null) return EXIT.ok;
    await useZoneOf(output, ledger, run.campaign);
    await bindAccounts(ledger, accounts, { names: await accountsOfRun(ledger, run), confirm: settings.sandbox });
    const tell = (): Promise<void> => signalRun(engine.temporal.client, ledger, run, by);
    if (run.open) {
      await tell();
      const { filesHost } = settings;
      const files = filesHost !== null && (await ledger.filesHosts(run)).includes(filesHost);
      await engine.ensureWorker(ledger, accounts, { files });
    }
    const folderOf = (ended: RunInfo): string => resultsFolder(settings.home, ended);
    return followOwnRun(own, { run, tell, timeoutMs, attached: true, folderOf });
  });
}
