import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { type ExitCode } from '../../errors/exit-codes';
import { keepHeapSmall } from '../../shared/small-heap';
import { addSubmitFlags, type SubmitFlags } from '../../submission/submit-flags';

type Flags = CommandFlags & SubmitFlags & { watch?: boolean; timeout?: string; singleHost?: boolean };

export function addSubmit(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'submit',
    summary: 'Hand a campaign (or its schedule) to workers that are already running, and return at once.',
    examples: [
      'submit spring.csv',
      'submit spring.csv --watch',
      'submit spring.csv --limit 3',
      'submit spring.csv --prune',
      'submit weekly.yaml  only creates or updates its schedule',
    ],
  });
  addSubmitFlags(command.argument('<manifest>', 'a YAML, CSV or .xlsx file, its https URL, or - for standard input'))
    .option('--watch', 'follow the run to its end')
    .option('--timeout <duration>', 'with --watch: stop following after this long, such as 2h')
    .option('--single-host', 'confirm that every worker and command of this ledger runs on this host')
    .action((manifest: string, flags: Flags) => run(flags, (context) => submit(context, manifest, flags)));
}

async function submit(
  { output, flags: shared, argv }: CommandContext,
  manifest: string,
  flags: Flags,
): Promise<ExitCode> {
  keepHeapSmall();
  const [{ loadSettings }, { manifestSource }, submission, engine, { durationFlag }] = await Promise.all([
    import('../../config/settings.js'),
    import('../../submission/manifest-flags.js'),
    import('../../submission/submission.js'),
    import('../../stack/engine.js'),
    import('../../terminal/texts/durations.js'),
  ]);
  const timeoutMs = flags.timeout === undefined ? undefined : durationFlag('--timeout', flags.timeout);
  const settings = await loadSettings(shared);
  await engine.hideKeys(settings, output);
  const source = await manifestSource(manifest, flags.base, settings);
  const { mapExportColumns } = await import('../../submission/export-columns.js');
  await mapExportColumns(source, flags, { settings, output, argv });
  const { scheduleOf, submitSchedule } = await import('../schedule/definition/from-manifest.js');
  if ((await scheduleOf(source, flags)) !== null) return submitSchedule({ output }, { source, flags, settings });
  const place = await engine.locateTemporal(settings);
  engine.demandSingleHost(place, settings.ledger, flags.singleHost ?? false);
  const accounts = await engine.openAccounts(settings, await engine.sandboxAddress(settings));
  const prepared = await submission.prepareManifest({ source, flags, settings, accounts, waiting: output });
  output.note(`${settings.sandbox ? 'SANDBOX ' : ''}Campaign ${output.paint('bold', prepared.reading.campaign)}`);
  const input = submission.demandAccepted(prepared, source, output);

  // Before the ledger accepts it: without a Temporal to process it, a submission would only look accepted.
  const temporal = await engine.connect(place);
  const ledger = await engine.openOwnLedger(settings);
  try {
    const confirm = flags.confirmBaseUrl ?? false;
    const { reading, unread, profiles } = prepared;
    const accepted = { ledger, submission: input, settings, accounts, reading, unread, profiles, confirm, output };
    const result = await submission.acceptInLedger(accepted);
    if (flags.once !== true) {
      const { warnForgotten } = await import('../schedule/forgotten.js');
      await warnForgotten(output, { client: temporal.client, ledger, source });
    }
    const [{ countPollers, unservedFilesHosts }, { noFilesWorkerText, noWorkerText }, { campaignSignal }] =
      await Promise.all([
        import('../../../temporal/campaigns.js'),
        import('../../summary/resume-commands.js'),
        import('./run-start.js'),
      ]);
    const { rows } = reading;
    await campaignSignal(temporal.client, { ledger, submission: input, result, rows: rows.length })();
    if ((await countPollers(temporal.client, ledger.id)) === 0) {
      output.warn(noWorkerText(settings.sandbox, 'is sent'));
    } else if (settings.filesHost !== null && submission.hasFiles(reading)) {
      const unserved = await unservedFilesHosts(temporal.client, ledger.id, [settings.filesHost]);
      for (const host of unserved) output.warn(noFilesWorkerText(host));
    }
    const [{ afterSubmit }, { writeRejected }, { resultsFolder }] = await Promise.all([
      import('./after-submit.js'),
      import('../../submission/rejected-rows.js'),
      import('../../summary/left-out.js'),
    ]);
    const { home } = settings;
    const { run } = result;
    const also = await writeRejected(prepared, { home, folder: resultsFolder(home, run), run, output });
    const watch = flags.watch ?? false;
    if (watch) also.push(...submission.differing(result));
    return await afterSubmit({ output, settings, place, ledger, result, watch, timeoutMs, also });
  } finally {
    await ledger.close();
    await temporal.close();
    await accounts.close();
  }
}
