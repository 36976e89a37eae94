import { type Ledger } from '../ledger/ledger';
import { type RunInfo } from '../ledger/types';
import { EXIT, type ExitCode } from './exit-codes';
import { type Output } from './output';
import { writeResultFiles } from './result-files';
import { type RunEngine } from './run-engine';
import { type Settings } from './settings';
import { showSummary } from './show-summary';
import { buildSummary } from './summary';
import { type WatchEnd } from './watch-run';
import { webUiRun } from './web-ui';

export interface FinishInput {
  output: Output;
  settings: Settings;
  engine: RunEngine;
  ledger: Ledger;
  watched: { end: WatchEnd; run: RunInfo };
  /** Where results go. */
  folder: string;
  attached: boolean;
  /** Exit codes that the run's rows don't show: rows that were left out. */
  also?: readonly ExitCode[];
}

const WHY: Readonly<Record<Exclude<WatchEnd, 'closed'>, string>> = {
  interrupted: 'Interrupted. The run is in the ledger; the same command goes on where it stopped.',
  timeout: 'The time is up. The run is in the ledger; the same command goes on where it stopped.',
  parked: 'Only rows are left whose channel or account is out of order. Once that is mended, the same command goes on.',
};

/** Says how a run ended, writes its results, and gives the exit code. */
export async function finishRun(input: FinishInput): Promise<ExitCode> {
  const { output, settings, engine, ledger, watched, folder, attached } = input;
  const { end, run } = watched;
  // Rows that are being sent are ended and recorded before anything is counted.
  if (end !== 'closed') await engine.stopWorker();
  const { sandbox } = settings;
  const also: ExitCode[] = [...(input.also ?? []), ...(end === 'interrupted' ? [EXIT.interrupted] : [])];
  const info = (await ledger.findRun(`${run.campaign}.${String(run.number)}`)) ?? run;
  const webUi = webUiRun(engine.place.webUi, engine.place.namespace, info.workflowId);
  const summary = await buildSummary({ ledger, info, attached, webUi, sandbox, also });
  const files = await writeResultFiles({
    ledger,
    run: info,
    summary,
    folder,
    sandbox,
    uiEnds: !engine.place.configured,
  });
  if (end !== 'closed') output.note(WHY[end]);
  output.note(`Results: ${files.csv}`);
  output.note(`Report:  ${files.html}`);
  await output.event({ event: 'results', ...files });
  await showSummary(summary, output, sandbox, { uiEnds: !engine.place.configured });
  return summary.exit_code;
}
