import { resolve } from 'node:path';
import { type CommandContext } from '../../command';
import { type RunFlags } from './run';
import { busy } from '../../terminal/busy';
import { durationFlag } from '../../terminal/texts/durations';
import { hideKeys } from '../../stack/engine';
import { InterruptedError } from '../../errors/errors';
import { type ExitCode } from '../../errors/exit-codes';
import { type ManifestSource, manifestSource, sourceName } from '../../submission/manifest-flags';
import { followOwnRun, type OwnRun, withOwnRun } from '../../watch/local-run';
import { resultsFolder } from '../../summary/left-out';
import { writeRejected } from '../../submission/rejected-rows';
import { loadSettings, type Settings } from '../../config/settings';
import { useZoneOf } from '../../shared/use-zone';
import { beforeRun } from './before-run';
import { type CheckedCampaign, checkBeforeStart, type StartedRun, startRun } from './run-start';
import { type Reason } from '../../summary/reasons';
import { differing } from '../../submission/submission';

/** `reelay run`: submit and follow, start what isn't running, and write the results at the end. */
export async function runManifest(context: CommandContext, manifest: string, flags: RunFlags): Promise<ExitCode> {
  const { output } = context;
  const timeoutMs = flags.timeout === undefined ? undefined : durationFlag('--timeout', flags.timeout);
  const settings = await loadSettings(context.flags);
  await hideKeys(settings, output);
  const source = await manifestSource(manifest, flags.base, settings);
  const { refuseSchedule } = await import('../schedule/definition/from-manifest.js');
  await refuseSchedule(source, flags);
  const { mapExportColumns } = await import('../../submission/export-columns.js');
  await mapExportColumns(source, flags, { settings, output, argv: context.argv });
  // Errors in the manifest, or a missing setting, are reported before anything is started.
  const campaign = await busy(output, `Checking ${sourceName(source)}`, () =>
    checkBeforeStart({ source, flags, settings, output }),
  );
  if (campaign.prepared !== null) await beforeRun(campaign.prepared, { settings, flags, output });

  return withOwnRun({ settings, output, singleHost: flags.singleHost ?? false }, async (own) => {
    const { engine, ledger, accounts } = own;
    if (own.signal.aborted) throw new InterruptedError('interrupted; nothing was submitted');
    const started = await accept(own, campaign, { source, flags, settings });
    const { info, result, files, folder, rejected, signalTemporal } = started;
    await busy(output, 'Starting the worker', () => engine.ensureWorker(ledger, accounts, { files }));
    return followOwnRun(own, {
      run: info,
      tell: signalTemporal,
      timeoutMs,
      attached: result.attached,
      folderOf: () => folder,
      also: [...rejected, ...differing(result)],
    });
  });
}

/**
 * Starts the run and writes the rows that are left out. Nothing that it returns holds the manifest in memory: a run may
 * take days.
 */
async function accept(
  own: OwnRun,
  campaign: CheckedCampaign,
  given: { source: ManifestSource; flags: RunFlags; settings: Settings },
): Promise<Omit<StartedRun, 'prepared'> & { folder: string; rejected: Reason[] }> {
  const { engine, ledger, accounts, output } = own;
  const { flags, settings } = given;
  const checked = campaign.prepared;
  campaign.prepared = null;
  const { prepared, ...started } = await startRun({ ...given, output, engine, ledger, accounts, prepared: checked });
  await useZoneOf(output, ledger, started.info.campaign);
  const folder = flags.out === undefined ? resultsFolder(settings.home, started.info) : resolve(flags.out);
  return {
    ...started,
    folder,
    rejected: await writeRejected(prepared, { home: settings.home, folder, run: started.info, output }),
  };
}
