import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & { print?: boolean };

export function addOpen(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'open',
    summary: 'Show the address of a run in the Temporal Web UI; on a desktop, open it.',
    examples: ['open latest', 'open spring.3 --print', 'open spring -o json'],
  })
    .argument('[run]', 'NAME.N, NAME (its newest), latest or a workflow id', 'latest')
    .option('--print', 'only print it')
    .action((name: string, flags: Flags) => run(flags, (context) => open(context, name, flags)));
}

async function open({ output, flags: shared }: CommandContext, name: string, flags: Flags): Promise<ExitCode> {
  const [{ loadSettings }, { findRun, openExistingLedger }, { locateTemporal }, { webUiRun }, desktop, { ExitError }] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../shared/resolve-run.js'),
      import('../../stack/engine.js'),
      import('../../stack/web-ui.js'),
      import('../../terminal/desktop.js'),
      import('../../errors/errors.js'),
    ]);
  const settings = await loadSettings(shared);
  const ledger = await openExistingLedger(settings);
  try {
    const run = await findRun(ledger, name);
    const id = `${run.campaign}.${String(run.number)}`;
    const place = await locateTemporal(settings);
    const address = webUiRun(place.webUi, place.namespace, run.workflowId, run.workflowRunId);
    if (address === null) {
      const { placeFlags } = await import('../../terminal/command-text.js');
      const flag = placeFlags(settings.sandbox);
      throw new ExitError(
        'no-web-ui',
        `no Temporal Web UI is known for ${id}`,
        EXIT.usage,
        place.configured
          ? 'Put the address of your Temporal’s Web UI into reelay.config.yaml as `web_ui`.'
          : `Start it with \`reelay up${flag}\`; \`reelay status ${id}${flag}\` and \`reelay results ${id}${flag}\` answer without it.`,
      );
    }
    const opener = (flags.print ?? false) || output.wide === null ? null : desktop.desktopOpener();
    const opened = opener !== null && (await desktop.openAddress(address, opener));
    if (output.isText) await output.lines([address]);
    else await output.json({ version: 1, run: id, workflow_id: run.workflowId, web_ui: address, opened });
    return EXIT.ok;
  } finally {
    await ledger.close();
  }
}
