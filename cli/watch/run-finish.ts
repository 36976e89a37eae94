import { join } from 'node:path';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo } from '../../ledger/model/types';
import { awaitNotices } from './local-notices';
import { type ExitCode } from '../errors/exit-codes';
import { afterTrial, noWorkerRunning } from '../summary/resume-commands';
import { type Output } from '../terminal/output';
import { plural, safeText } from '../terminal/safe-text';
import { writeResultFiles } from '../result-files/result-files';
import { type RunEngine } from '../stack/run-engine';
import { type Settings } from '../config/settings';
import { showSummary } from '../summary/show-summary';
import { type Reason } from '../summary/reasons';
import { type RunLiveness, livenessOf } from '../summary/run-liveness';
import { editedText } from '../shared/own-files';
import { leftTimes, stayOnText } from '../shared/stay-on';
import { buildSummary } from '../summary/summary';
import { endReasons, ROLLED_BACK, type WatchEnd } from './watch-run';
import { webUiRun } from '../stack/web-ui';

export interface FinishInput {
  output: Output;
  settings: Settings;
  engine: RunEngine;
  ledger: Ledger;
  watched: { end: WatchEnd; run: RunInfo };
  /** The folder for results. */
  folder: string;
  attached: boolean;
  /** What the run's rows don't show: rows that were left out. */
  also?: readonly Reason[];
}

const LINKS_SHOWN = 5;

const WHY: Readonly<Record<Exclude<WatchEnd, 'closed'>, string>> = {
  interrupted: 'Interrupted',
  'rolled-back': ROLLED_BACK,
  timeout: 'The timeout has passed',
  parked: 'Only rows of parked channels or accounts are left',
};

/** Reports how a run ended, writes its results, and returns the exit code. */
export async function finishRun(input: FinishInput): Promise<ExitCode> {
  const { output, settings, engine, ledger, watched, folder, attached } = input;
  const { end, run } = watched;
  if (end === 'closed' || end === 'parked') {
    await awaitNotices({ client: engine.temporal.client, ledger, settings, run, output });
  }
  // Rows that are being sent end and are recorded before anything is counted.
  if (end !== 'closed') await engine.stopWorker();
  const { sandbox } = settings;
  const also = [...(input.also ?? []), ...endReasons(end, { runs: true })];
  const info = (await ledger.findRun(run)) ?? run;
  const webUi = webUiRun(engine.place.webUi, engine.place.namespace, info.workflowId, info.workflowRunId);
  const liveness = await livenessOf(settings, ledger, info);
  const next = await afterTrial(settings, ledger, info);
  const summary = await buildSummary({
    ledger,
    info,
    attached,
    webUi,
    sandbox,
    home: settings.home,
    also,
    liveness,
    next,
  });
  const { uiEnds } = engine;
  const files = await writeResultFiles({
    ledger,
    run: info,
    summary,
    folder,
    home: settings.home,
    sandbox,
    uiEnds,
    zone: output.zone,
  });
  if (end !== 'closed') output.note(`${WHY[end]}; ${goesOn(summary.run.id, liveness)}.`);
  if (end !== 'closed' && info.open && liveness.goOn !== null) {
    const now = Date.now();
    const stay = await stayOnText(await leftTimes(ledger, info, now), {
      settings,
      zone: output.zone,
      now,
      stopped: true,
    });
    if (stay !== null) output.note(stay);
  }
  const kept = [join(folder, 'results.csv'), join(folder, 'report.html')].filter(
    (path) => !Object.values(files).includes(path),
  );
  for (const path of kept) output.warn(editedText(path));
  output.note(`Results: ${files.csv}`);
  output.note(`Report:  ${files.html}`);
  await output.event({ event: 'results', ...files });
  await showSummary(summary, output, sandbox, { uiEnds });
  if (output.isText) await printLive(output, ledger, info);
  return summary.exit_code;
}

/** Addresses of live videos, as the service showed them; the rest is in the results. */
async function printLive(output: Output, ledger: Ledger, run: RunInfo): Promise<void> {
  const shown: { name: string; channel: string; url: string }[] = [];
  let more = 0;
  for await (const record of ledger.results(run, { states: ['published'] })) {
    const { video_url: url, title, key, channel } = record;
    if (url === null) continue;
    if (shown.length < LINKS_SHOWN) shown.push({ name: title ?? key, channel, url });
    else more += 1;
  }
  if (shown.length === 0) return;
  output.note('Live:');
  for (const line of liveLines(shown)) output.note(line);
  if (more > 0) output.note(`  … and ${plural(more, 'more video')} in the results`);
}

/** With the channel where a title is in several. */
export function liveLines(videos: readonly { name: string; channel: string; url: string }[]): string[] {
  const again = (name: string): boolean => videos.filter((one) => one.name === name).length > 1;
  return videos.map(
    ({ name, channel, url }) => `  ${safeText(name)}${again(name) ? ` (${safeText(channel)})` : ''}: ${safeText(url)}`,
  );
}

function goesOn(id: string, { goOn }: RunLiveness): string {
  if (goOn !== null) return `${noWorkerRunning(id)}: resume it with one of the next commands`;
  return 'the run continues in another process';
}
