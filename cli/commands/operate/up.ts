import { type Command } from 'commander';
import { addCommand, collect, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { addLogFlags } from '../../terminal/log-flags';

export function addUp(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'up',
    summary: 'Run the embedded Temporal and a worker until Ctrl-C.',
    examples: ['up', 'up --sandbox'],
  });
  addLogFlags(command)
    .option('--fault <rule>', 'with --sandbox: a fault to inject (repeatable; docs/tasks/sandbox.md)', collect)
    .option(
      '--behaviour <name>',
      'with --sandbox: a behaviour of the service, such as short-pages (repeatable; docs/tasks/sandbox.md)',
      collect,
    )
    .action((flags: CommandFlags) => run(flags, up));
}

async function up({ output, flags }: CommandContext): Promise<ExitCode> {
  const [
    { loadSettings },
    engine,
    { openOwnStack },
    { startOwnWorker },
    { aborted, listenForInterrupts },
    { ConfigError, ExitError },
    { busy },
  ] = await Promise.all([
    import('../../config/settings.js'),
    import('../../stack/engine.js'),
    import('../../stack/embedded-stack.js'),
    import('../../stack/local-worker.js'),
    import('../../../host/interrupts.js'),
    import('../../errors/errors.js'),
    import('../../terminal/busy.js'),
  ]);
  const settings = await loadSettings(flags);
  await engine.hideKeys(settings, output);
  const configured = await settings.temporal();
  if (configured.configured) {
    throw new ConfigError(
      'temporal-configured',
      `a Temporal is configured (${configured.address}): there is nothing to run`,
      'Start `reelay worker` for it; or unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE, and `temporal.address` in the config.',
    );
  }
  // Before anything is started: a missing key or base URL is reported at once.
  if (!settings.sandbox) engine.demandUsable(await engine.openAccounts(settings));
  const interrupts = listenForInterrupts(() => {
    output.note('Stopping. Ctrl-C again exits at once.');
  });
  const { stack, place } = await busy(output, 'Starting', () => openOwnStack(settings, output));
  try {
    const accounts = await engine.openAccounts(settings, stack.sandbox?.baseUrl);
    const ledger = await engine.openOwnLedger(settings);
    try {
      await engine.bindAccounts(ledger, accounts, { names: accounts.names(), confirm: settings.sandbox });
      const worker = await startOwnWorker({ settings, ledger, accounts, place, output, say: true });
      const { address, namespace, webUi } = place;
      const sandbox = stack.sandbox?.baseUrl ?? null;
      if (output.isText)
        await output.lines([
          `temporal\t${address}`,
          `namespace\t${namespace}`,
          `web_ui\t${webUi ?? ''}`,
          ...(sandbox === null ? [] : [`sandbox\t${sandbox}`]),
        ]);
      else
        await output.json({ version: 1, role: stack.role, temporal: { address, namespace, web_ui: webUi }, sandbox });
      const { webUiCampaigns } = await import('../../stack/web-ui.js');
      const campaigns = webUiCampaigns(webUi, namespace);
      if (campaigns !== null) output.note(`Campaigns in the Web UI: ${campaigns}`);
      output.note('Running. Ctrl-C stops it.');
      const gone = stack.role === 'attached' ? stack.ownerGone : stack.broken;
      const ended = await Promise.race([worker.done, aborted(interrupts.signal), gone]);
      await worker.stop();
      if (!interrupts.signal.aborted) {
        const why = ended ?? 'the process that ran Temporal has ended';
        throw new ExitError('stack-broken', why, EXIT.unreachable, 'Start it again with the same command.');
      }
    } finally {
      await ledger.close();
      await accounts.close();
    }
    return EXIT.ok;
  } finally {
    await stack.release(interrupts.signal.aborted ? { force: true } : {});
    interrupts.release();
  }
}
