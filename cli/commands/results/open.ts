import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { type RunInfo } from '../../../ledger/model/types';

type Flags = CommandFlags & { print?: boolean };

export function addOpen(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'open',
    summary: 'Show the address of a run in the Temporal Web UI, or of the list of campaigns; on a desktop, open it.',
    examples: ['open                   all campaigns', 'open latest', 'open spring.3 --print', 'open spring -o json'],
  })
    .argument('[run]', 'NAME.N, NAME (its newest), latest or a workflow id (default: the list of campaigns)')
    .option('--print', 'only print it')
    .action((name: string | undefined, flags: Flags) => run(flags, (context) => open(context, name, flags)));
}

async function open(
  { output, flags: shared }: CommandContext,
  name: string | undefined,
  flags: Flags,
): Promise<ExitCode> {
  const [{ loadSettings }, { locateTemporal }, { webUiCampaigns, webUiRun }, desktop, { ExitError }] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../stack/engine.js'),
      import('../../stack/web-ui.js'),
      import('../../terminal/desktop.js'),
      import('../../errors/errors.js'),
    ]);
  const settings = await loadSettings(shared);
  const run = name === undefined ? null : await read(name);
  const id = run === null ? null : `${run.campaign}.${String(run.number)}`;
  const { webUi, namespace, configured } = await locateTemporal(settings);
  const address =
    run === null ? webUiCampaigns(webUi, namespace) : webUiRun(webUi, namespace, run.workflowId, run.workflowRunId);
  if (address === null) {
    const { placeFlags } = await import('../../terminal/texts/command-text.js');
    const flag = placeFlags(settings.sandbox);
    const instead =
      id === null
        ? `\`reelay list${flag}\` answers without it`
        : `\`reelay status ${id}${flag}\` and \`reelay results ${id}${flag}\` answer without it`;
    throw new ExitError(
      'no-web-ui',
      id === null ? 'no Temporal Web UI is known' : `no Temporal Web UI is known for ${id}`,
      EXIT.usage,
      configured
        ? 'Put the address of your Temporal’s Web UI into reelay.config.yaml as `web_ui`.'
        : `Start it with \`reelay up${flag}\`; ${instead}.`,
    );
  }
  const opener = (flags.print ?? false) || output.wide === null ? null : desktop.desktopOpener();
  const opened = opener !== null && (await desktop.openAddress(address, opener));
  if (output.isText) await output.lines([address]);
  else await output.json({ version: 1, run: id, workflow_id: run?.workflowId ?? null, web_ui: address, opened });
  return EXIT.ok;

  async function read(wanted: string): Promise<RunInfo> {
    const { findRun, openExistingLedger } = await import('../../shared/resolve-run.js');
    const ledger = await openExistingLedger(settings, { name: wanted });
    return findRun(settings, ledger, wanted).finally(() => ledger.close());
  }
}
