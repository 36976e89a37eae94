import { type Ledger } from '../../../ledger/ledger';
import { type SubmissionResult } from '../../../ledger/model/submission-types';
import { type TemporalPlace } from '../../stack/engine';
import { type ExitCode } from '../../errors/exit-codes';
import { busy } from '../../terminal/busy';
import { type Output } from '../../terminal/output';
import { runOf } from '../../shared/resolve-run';
import { leftTimes, stayOnText } from '../../shared/stay-on';
import { type Settings } from '../../config/settings';
import { showSummary } from '../../summary/show-summary';
import { exitOf, type Reason } from '../../summary/reasons';
import { livenessOf } from '../../summary/run-liveness';
import { buildSummary } from '../../summary/summary';
import { webUiRun } from '../../stack/web-ui';

export interface AfterSubmitInput {
  output: Output;
  settings: Settings;
  place: TemporalPlace;
  ledger: Ledger;
  result: SubmissionResult;
  watch: boolean;
  timeoutMs: number | undefined;
  /** What the run's rows don't show: rows that were left out. */
  also: readonly Reason[];
}

/** Answers a submit: with the run’s summary once its rows are imported, or after following it. */
export async function afterSubmit(input: AfterSubmitInput): Promise<ExitCode> {
  const { output, settings, place, ledger, result, also } = input;
  // A worker imports what was submitted a moment later, or once one runs; until then the campaign's rows are as before
  // the submit. The import is safe to repeat, and for both to do at once.
  await busy(output, 'Importing the rows', () => ledger.importSubmissions(result.run));
  if (output.isText) {
    const now = Date.now();
    const stay = await stayOnText(await leftTimes(ledger, result.run, now), { settings, zone: output.zone, now });
    if (stay !== null) output.note(stay);
  }
  const info = await runOf(ledger, result.run);
  const webUi = webUiRun(place.webUi, place.namespace, info.workflowId, info.workflowRunId);
  if (input.watch) {
    const { followRun } = await import('../../watch/follow-run.js');
    return followRun({
      output,
      settings,
      ledger,
      run: info,
      webUi,
      attached: result.attached,
      timeoutMs: input.timeoutMs,
      also,
    });
  }
  const { sandbox, home } = settings;
  const liveness = await livenessOf(settings, ledger, info);
  const summary = await buildSummary({ ledger, info, attached: result.attached, webUi, sandbox, home, also, liveness });
  await showSummary(summary, output, sandbox);
  return exitOf(also);
}
