import { type Ledger } from '../../ledger/ledger';
import { type RunInfo } from '../../ledger/model/types';
import { type ExitCode } from '../errors/exit-codes';
import { listenForInterrupts } from '../../host/interrupts';
import { type Output } from '../terminal/output';
import { type Settings } from '../config/settings';
import { showSummary } from '../summary/show-summary';
import { afterTrial, noWorkerRunning } from '../summary/resume-commands';
import { type Reason } from '../summary/reasons';
import { livenessOf } from '../summary/run-liveness';
import { buildSummary } from '../summary/summary';
import { endReasons, ROLLED_BACK, watchRun } from './watch-run';

export interface FollowInput {
  output: Output;
  settings: Settings;
  ledger: Ledger;
  run: RunInfo;
  webUi: string | null;
  attached: boolean;
  timeoutMs: number | undefined;
  /** What the run's rows don't show: rows that were left out. */
  also?: readonly Reason[];
}

/** Follows a run that another process runs; Ctrl-C only stops following. Returns the run's exit code. */
export async function followRun(input: FollowInput): Promise<ExitCode> {
  const { output, settings, ledger, webUi, attached, timeoutMs } = input;
  const { sandbox } = settings;
  const interrupts = listenForInterrupts();
  try {
    const watched = await watchRun({
      ledger,
      run: input.run,
      output,
      sandbox,
      signal: interrupts.signal,
      liveness: (run) => livenessOf(settings, ledger, run),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    const { end, run } = watched;
    const also = [...(input.also ?? []), ...endReasons(end, { runs: false })];
    const liveness = await livenessOf(settings, ledger, run);
    const summary = await buildSummary({
      ledger,
      info: run,
      attached,
      webUi,
      sandbox,
      home: settings.home,
      also,
      liveness,
      next: await afterTrial(settings, ledger, run),
    });
    const { id } = summary.run;
    const goesOn =
      liveness.goOn === null
        ? 'the run continues.'
        : `${noWorkerRunning(id)}: resume it with one of the next commands.`;
    if (end === 'interrupted') output.note(`Stopped watching; ${goesOn}`);
    if (end === 'rolled-back') output.note(`${ROLLED_BACK}.`);
    if (end === 'timeout') output.note(`The timeout has passed; ${goesOn}`);
    if (end === 'parked') output.note('Only rows of parked channels or accounts are left; the run waits for that.');
    await showSummary(summary, output, sandbox);
    return summary.exit_code;
  } finally {
    interrupts.release();
  }
}
