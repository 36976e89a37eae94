import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & { exitCode?: boolean };

export function addStatus(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'status',
    summary: 'Show a campaign over all its runs: its rows, what holds them back, which workers are running.',
    examples: ['status latest', 'status spring.3 -o json', 'status spring --exit-code'],
  })
    .argument('[run]', 'NAME (the campaign), NAME.N (one run), latest or a workflow id', 'latest')
    .option('--exit-code', 'end with the run’s exit code')
    .action((name: string, flags: Flags) => run(flags, (context) => status(context, name, flags)));
}

async function status({ output, flags: shared }: CommandContext, name: string, flags: Flags): Promise<ExitCode> {
  const [
    { loadSettings },
    { findView, openExistingLedger },
    { buildSummary },
    { showSummary },
    engine,
    { webUiRun },
    { livenessOf },
  ] = await Promise.all([
    import('../../config/settings.js'),
    import('../../shared/resolve-run.js'),
    import('../../summary/summary.js'),
    import('../../summary/show-summary.js'),
    import('../../stack/engine.js'),
    import('../../stack/web-ui.js'),
    import('../../summary/run-liveness.js'),
  ]);
  const settings = await loadSettings(shared);
  const ledger = await openExistingLedger(settings, { name });
  try {
    const { info, view } = await findView(settings, ledger, name);
    const { useZoneOf } = await import('../../shared/use-zone.js');
    await useZoneOf(output, ledger, info.campaign);
    const place = await engine.locateTemporal(settings);
    const webUi = webUiRun(place.webUi, place.namespace, info.workflowId, info.workflowRunId);
    const { sandbox } = settings;
    const liveness = await livenessOf(settings, ledger, info);
    const { afterTrial } = await import('../../summary/resume-commands.js');
    const next = await afterTrial(settings, ledger, info);
    const { home } = settings;
    const summary = await buildSummary({ ledger, info, view, attached: true, webUi, sandbox, home, liveness, next });
    // Printed first: the summary is the last line of jsonl.
    const { printUnfollowed, printQuarantine } = await import('../../summary/attention.js');
    if (ledger.rolledBack !== null) {
      const { printRolledBack } = await import('../../summary/rolled-back.js');
      await printRolledBack(output, ledger);
    }
    await printUnfollowed({ output, ledger, info, sandbox });
    await printQuarantine(output, settings.spoolFolder);
    if (info.open) {
      const { printHealth } = await import('../../watch/run-health.js');
      const { silentAfterMs } = settings.timings;
      await printHealth({
        output,
        ledger,
        info,
        place,
        liveness,
        sandbox,
        ...(silentAfterMs === undefined ? {} : { silentAfterMs }),
      });
    }
    await showSummary(summary, output, sandbox);
    return flags.exitCode ? summary.exit_code : EXIT.ok;
  } finally {
    await ledger.close();
  }
}
