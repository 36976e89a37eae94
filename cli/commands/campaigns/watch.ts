import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & { timeout?: string };

export function addWatch(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'watch',
    summary: 'Follow a run to its end. Ctrl-C stops following; the run continues.',
    examples: ['watch latest', 'watch spring.3', 'watch spring --timeout 2h -o json'],
  })
    .argument('[run]', 'NAME.N, NAME (its newest), latest or a workflow id', 'latest')
    .option('--timeout <duration>', 'stop following after this long, such as 2h')
    .action((name: string, flags: Flags) => run(flags, (context) => watch(context, name, flags)));
}

async function watch({ output, flags: shared }: CommandContext, name: string, flags: Flags): Promise<ExitCode> {
  const [
    { loadSettings },
    { durationFlag },
    { findRun, openExistingLedger },
    { followRun },
    { locateTemporal },
    { webUiRun },
  ] = await Promise.all([
    import('../../config/settings.js'),
    import('../../terminal/texts/durations.js'),
    import('../../shared/resolve-run.js'),
    import('../../watch/follow-run.js'),
    import('../../stack/engine.js'),
    import('../../stack/web-ui.js'),
  ]);
  const timeoutMs = flags.timeout === undefined ? undefined : durationFlag('--timeout', flags.timeout);
  const settings = await loadSettings(shared);
  const ledger = await openExistingLedger(settings, { name });
  try {
    const run = await findRun(settings, ledger, name);
    const { useZoneOf } = await import('../../shared/use-zone.js');
    await useZoneOf(output, ledger, run.campaign);
    const place = await locateTemporal(settings);
    const webUi = webUiRun(place.webUi, place.namespace, run.workflowId, run.workflowRunId);
    if (run.open) {
      const [{ printTemporal }, { livenessOf }] = await Promise.all([
        import('../../watch/run-health.js'),
        import('../../summary/run-liveness.js'),
      ]);
      const liveness = await livenessOf(settings, ledger, run);
      await printTemporal({ output, ledger, place, info: run, liveness, sandbox: settings.sandbox });
    }
    return await followRun({ output, settings, ledger, run, webUi, attached: true, timeoutMs });
  } finally {
    await ledger.close();
  }
}
