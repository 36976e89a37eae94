import { resolve } from 'node:path';
import { type CommandContext } from './command';
import { type RunFlags } from './commands/run';
import { durationFlag } from './durations';
import { hideKeys, openAccounts, openOwnLedger } from './engine';
import { InterruptedError } from './errors';
import { type ExitCode } from './exit-codes';
import { listenForInterrupts } from './interrupts';
import { manifestSource } from './manifest-flags';
import { resultsFolder, writeRejected } from './rejected-rows';
import { finishRun } from './run-finish';
import { RunEngine } from './run-engine';
import { loadSettings } from './settings';
import { checkBeforeStart, startRun } from './run-start';
import { differing } from './submission';
import { watchRun } from './watch-run';

/** `reelay run`: submit and follow, with what isn't there started, and the results written at the end. */
export async function runManifest(context: CommandContext, manifest: string, flags: RunFlags): Promise<ExitCode> {
  const { output } = context;
  const timeoutMs = flags.timeout === undefined ? undefined : durationFlag('--timeout', flags.timeout);
  const settings = await loadSettings(context.flags);
  await hideKeys(settings, output);
  const source = await manifestSource(manifest, flags.base);
  // A manifest with errors, or a missing setting, is told before anything is started.
  const campaign = await checkBeforeStart({ source, flags, settings, output });

  const interrupts = listenForInterrupts(() => {
    output.note('Stopping: what is being sent is ended first. Ctrl-C again ends at once.');
  });
  const engine = new RunEngine(settings, output);
  try {
    await engine.open({ singleHost: flags.singleHost ?? false });
    if (interrupts.signal.aborted) throw new InterruptedError('interrupted; nothing was submitted');
    const accounts = await openAccounts(settings, engine.sandboxUrl ?? undefined);
    const ledger = await openOwnLedger(settings);
    try {
      const started = await startRun({
        source,
        flags,
        settings,
        output,
        engine,
        ledger,
        accounts,
        prepared: campaign.prepared,
      });
      const folder = flags.out === undefined ? resultsFolder(settings.home, started.info) : resolve(flags.out);
      const rejected = await writeRejected(started.prepared, folder, output);
      await engine.ensureWorker(ledger, accounts);
      const watched = await watchRun({
        ledger,
        run: started.info,
        output,
        sandbox: settings.sandbox,
        signal: interrupts.signal,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        onLook: async () => {
          if (await engine.tend(ledger, accounts)) await started.tellTemporal();
        },
      });
      const { attached } = started.result;
      const also = [...rejected, ...differing(started.result)];
      return await finishRun({ output, settings, engine, ledger, watched, folder, attached, also });
    } finally {
      // The worker writes into the ledger until it has stopped.
      await engine.close(interrupts.signal);
      await ledger.close();
      await accounts.close();
    }
  } finally {
    await engine.close();
    interrupts.release();
  }
}
