import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { type UsageError } from '../../errors/errors';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { addLogFlags } from '../../terminal/log-flags';

type Flags = CommandFlags & {
  yes?: boolean;
  uploads?: string;
  metrics?: string;
  health?: string;
  traces?: boolean;
  deployment?: string;
  buildId?: string;
  singleHost?: boolean;
};

export function addWorker(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'worker',
    summary:
      'Run a worker for this ledger until Ctrl-C or SIGTERM; exits non-zero if it fails. Also lists the ledger’s workers, and forgets one whose host is lost.',
    examples: [
      'worker',
      'worker list',
      'worker forget HOST',
      'worker --uploads 8',
      'worker --log-format json --metrics 9464 --health 9465',
    ],
  });
  addLogFlags(command)
    .argument('[what]', 'list, or forget')
    .argument('[name]', 'with forget: a worker or host that `worker list` shows')
    .option('--yes', 'with forget: don’t ask')
    .option('--uploads <n>', 'uploads at once (default 4)')
    .option('--metrics <address>', 'Prometheus metrics at this port (of 127.0.0.1) or host:port')
    .option('--health <address>', 'serve /health at this port (of 127.0.0.1) or host:port: 200 if it works, else 503')
    .option('--traces', 'send OpenTelemetry traces to OTEL_EXPORTER_OTLP_ENDPOINT (default http://localhost:4318)')
    .option('--deployment <name>', 'with --build-id: the Temporal worker deployment it belongs to')
    .option('--build-id <id>', 'this worker’s build; it gets work once it is the deployment’s current version')
    .option('--single-host', 'confirm that every worker and command of this ledger runs on this host')
    .action((what: string | undefined, name: string | undefined, flags: Flags) =>
      run(flags, (context) =>
        what === undefined ? worker(context, flags) : knownWorkers(context, { what, name, yes: flags.yes ?? false }),
      ),
    );
}

async function knownWorkers(
  { output, flags }: CommandContext,
  { what, name, yes }: { what: string; name: string | undefined; yes: boolean },
): Promise<ExitCode> {
  const [{ loadSettings }, { UsageError }, known] = await Promise.all([
    import('../../config/settings.js'),
    import('../../errors/errors.js'),
    import('./known-workers.js'),
  ]);
  if (what !== 'list' && what !== 'forget') {
    throw new UsageError(`“${what}” is not an action of worker`, 'One of: list, forget. Without one, a worker runs.');
  }
  const settings = await loadSettings(flags);
  if (what === 'list') {
    await known.listWorkers({ output, settings });
    return EXIT.ok;
  }
  if (name === undefined) throw new UsageError('the worker or its host is missing', '`reelay worker list` shows them.');
  await known.forgetWorkers({ output, settings, name, yes });
  return EXIT.ok;
}

async function worker({ output, flags: shared }: CommandContext, flags: Flags): Promise<ExitCode> {
  const [{ loadSettings }, engine, { startOwnWorker }, { aborted, listenForInterrupts }, { UsageError }] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../stack/engine.js'),
      import('../../stack/local-worker.js'),
      import('../../../host/interrupts.js'),
      import('../../errors/errors.js'),
    ]);
  if (flags.uploads !== undefined && !/^[1-9]\d{0,2}$/.test(flags.uploads)) {
    throw new UsageError(`--uploads: “${flags.uploads}” is not a whole number from 1 to 999`);
  }
  const address = (flag: string, value: string): string => {
    const [, host = '127.0.0.1', port = ''] = /^(?:(\[[\da-f:]+\]|[\d.]+):)?(\d{1,5})$/i.exec(value) ?? [];
    if (port === '' || Number(port) > 65_535)
      throw new UsageError(
        `${flag}: “${value}” is not a port, or an IP address with a port`,
        'For example 127.0.0.1:9464.',
      );
    return `${host}:${port}`;
  };
  const metrics = flags.metrics === undefined ? {} : { metricsAddress: address('--metrics', flags.metrics) };
  const health = flags.health === undefined ? {} : { healthAddress: address('--health', flags.health) };
  const deployment = deploymentOf(flags, UsageError);
  const settings = await loadSettings(shared);
  await engine.hideKeys(settings, output);
  const place = await engine.locateTemporal(settings);
  engine.demandSingleHost(place, settings.ledger, flags.singleHost ?? false);
  const accounts = await engine.openAccounts(settings, await engine.sandboxAddress(settings));
  engine.demandUsable(accounts);
  // A clear message now, instead of a worker that can't connect.
  await (await engine.connect(place)).close();
  const interrupts = listenForInterrupts(() => {
    output.note('Stopping after the current sends. Ctrl-C again exits at once.');
  });
  const ledger = await engine.openOwnLedger(settings);
  try {
    await engine.bindAccounts(ledger, accounts, { names: accounts.names(), confirm: settings.sandbox });
    const uploads = flags.uploads === undefined ? {} : { uploads: Number(flags.uploads) };
    const running = await startOwnWorker({
      settings,
      ledger,
      accounts,
      place,
      output,
      say: true,
      ...uploads,
      ...(deployment === null ? {} : { deployment }),
      ...metrics,
      ...health,
      ...(flags.traces === true ? { traces: true } : {}),
    });
    output.note(
      `${settings.sandbox ? 'SANDBOX ' : ''}Worker of ledger ${ledger.id} polls ${place.address} (namespace ${place.namespace})`,
    );
    if (deployment !== null) {
      const { name, buildId } = deployment;
      output.note(`Build ${buildId} of deployment ${name} gets work once it is the current version:
  temporal worker deployment set-current-version --deployment-name ${name} --build-id ${buildId}`);
    }
    await output.event({ event: 'started', ledger: ledger.id, address: place.address, namespace: place.namespace });
    await Promise.race([running.done, aborted(interrupts.signal)]);
    await running.stop();
    return EXIT.ok;
  } finally {
    interrupts.release();
    await ledger.close();
    await accounts.close();
  }
}

/** Names of deployments and builds; Temporal joins the two with a dot or a colon. */
const DEPLOYMENT = /^[A-Za-z0-9_-]{1,100}$/;
const BUILD = /^[A-Za-z0-9._+-]{1,100}$/;

function deploymentOf(
  { deployment, buildId }: Flags,
  Refusal: typeof UsageError,
): { name: string; buildId: string } | null {
  if (deployment === undefined && buildId === undefined) return null;
  if (deployment === undefined || buildId === undefined) {
    throw new Refusal(
      `--${deployment === undefined ? 'deployment' : 'build-id'} is missing`,
      'A build belongs to a deployment: give both --deployment and --build-id, or neither.',
    );
  }
  if (!DEPLOYMENT.test(deployment))
    throw new Refusal(`--deployment: “${deployment}” is not a name of letters, digits, - and _`);
  if (!BUILD.test(buildId))
    throw new Refusal(`--build-id: “${buildId}” is not an id of letters, digits, dots, +, - and _`);
  return { name: deployment, buildId };
}
