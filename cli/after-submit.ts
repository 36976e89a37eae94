import { type Ledger } from '../ledger/ledger';
import { type SubmissionResult } from '../ledger/types';
import { type TemporalPlace } from './engine';
import { EXIT, type ExitCode } from './exit-codes';
import { mendFlags } from './mend-flags';
import { type Output } from './output';
import { findRun } from './resolve-run';
import { type Settings } from './settings';
import { showSummary } from './show-summary';
import { standingOf } from './standing';
import { buildSummary } from './summary';
import { webUiRun } from './web-ui';

export interface AfterSubmitInput {
  output: Output;
  settings: Settings;
  place: TemporalPlace;
  ledger: Ledger;
  result: SubmissionResult;
  watch: boolean;
  timeoutMs: number | undefined;
}

/** Answers a submit: with the run's summary at once, or after following it. */
export async function afterSubmit(input: AfterSubmitInput): Promise<ExitCode> {
  const { output, settings, place, ledger, result } = input;
  const info = await findRun(ledger, `${result.run.campaign}.${String(result.run.number)}`);
  const webUi = webUiRun(place.webUi, place.namespace, info.workflowId);
  if (input.watch) {
    const { followRun } = await import('./follow-run.js');
    return followRun({
      output,
      settings,
      ledger,
      run: info,
      webUi,
      attached: result.attached,
      timeoutMs: input.timeoutMs,
    });
  }
  const { sandbox } = settings;
  const standing = await standingOf(settings, ledger, info);
  const summary = await buildSummary({ ledger, info, attached: result.attached, webUi, sandbox, standing });
  const mend = mendFlags({ settings, run: info, counts: summary.counts });
  await showSummary(summary, output, sandbox, { mend });
  return EXIT.ok;
}
