import { type Command } from 'commander';
import { type Ledger } from '../../../ledger/ledger';
import { type RetryInput, type RetryResult } from '../../../ledger/operator/retry';
import { type RunInfo } from '../../../ledger/model/types';
import { addCommand, collect, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & {
  state?: string;
  key?: string[];
  channel?: string;
  yes?: boolean;
  watch?: boolean;
  timeout?: string;
  singleHost?: boolean;
};

export function addRetry(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'retry',
    summary: 'Send failed and rejected rows again, and read overdue ones again. Unconfirmed rows are never retried.',
    examples: [
      'retry spring',
      'retry spring --state failed --watch',
      'retry spring --key ep-3 --key ep-4 --yes',
      'retry spring --channel "Garden · long"',
    ],
  })
    .argument('<run>', 'NAME.N, NAME (its newest), latest or a workflow id')
    .option('--state <states>', 'failed, rejected, overdue, separated by commas (default: all three)')
    .option('--key <key>', 'only this row (repeatable)', collect)
    .option('--channel <channel>', 'only rows of this channel, as `reelay plan` names it')
    .option('--yes', 'don’t ask')
    .option('--watch', 'follow the run to its end; starts Temporal and a worker if none is running')
    .option('--timeout <duration>', 'with --watch: stop after this long, such as 2h')
    .option('--single-host', 'confirm that every worker and command of this ledger runs on this host')
    .action((name: string, flags: Flags) => run(flags, (context) => retry(context, name, flags)));
}

async function retry({ output, flags: shared }: CommandContext, name: string, flags: Flags): Promise<ExitCode> {
  const [{ loadSettings, whoAmI }, { findRun, openExistingLedger }, selection, { durationFlag }, carryOn] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../shared/resolve-run.js'),
      import('./retry-selection.js'),
      import('../../terminal/texts/durations.js'),
      import('../../watch/wake-run.js'),
    ]);
  const states = flags.state === undefined ? undefined : selection.retryStates(flags.state);
  const timeoutMs = flags.timeout === undefined ? undefined : durationFlag('--timeout', flags.timeout);
  const settings = await loadSettings(shared);
  const by = await whoAmI();
  if (flags.watch) await (await import('../../stack/engine.js')).hideKeys(settings, output);
  const ledger = await openExistingLedger(settings, { use: 'change', name });
  let ref: RetryResult['run'];
  try {
    const run = await findRun(settings, ledger, name);
    const chosen = await selection.chooseRetry({ ledger, run, states, flags, output });
    const done = chosen === null ? NOTHING : await ledger.retry({ ...chosen, by });
    // What an earlier retry began is in progress in the campaign's newest run.
    const newest = await ledger.newestRun(run.campaign);
    const open = newest?.open === true ? newest : null;
    ref = done.run ?? open;
    if (!flags.watch) {
      const wasWoken = ref === null ? true : await carryOn.wakeOrWarn({ output, settings, ledger, run: ref, by });
      await answer(done, run, open, wasWoken);
      return EXIT.ok;
    }
    if (ref === null) {
      await answer(done, run, open, true);
      return EXIT.ok;
    }
    if (output.isText) output.note(wordsOf(done, run, open));
  } finally {
    await ledger.close();
  }
  const begun = ref;
  const prepare = (own: Ledger): Promise<RunInfo | null> => own.findRun(begun);
  return carryOn.watchOn({ output, settings, prepare, by, singleHost: flags.singleHost ?? false, timeoutMs });

  async function answer(done: RetryResult, run: RunInfo, open: RunInfo | null, wasWoken: boolean): Promise<void> {
    if (output.isText) await output.lines([wordsOf(done, run, open)]);
    else {
      const { planned, reread, followed } = done;
      const runId = done.run === null ? null : `${done.run.campaign}.${String(done.run.number)}`;
      const at = new Date().toISOString();
      await output.json({ version: 1, run: runId, planned, reread, followed, hurried: wasWoken, by, at });
    }
  }

  function wordsOf(done: RetryResult, run: RunInfo, open: RunInfo | null): string {
    if (done.run === null) {
      const underWay = open === null ? '' : `; ${open.campaign}.${String(open.number)} is under way`;
      return `nothing to retry in ${run.campaign}${underWay}`;
    }
    const parts = [
      done.planned > 0 ? `${String(done.planned)} to be tried again` : '',
      done.reread > 0 ? `${String(done.reread)} read again` : '',
      done.followed > 0 ? `${String(done.followed)} followed again after a late answer` : '',
    ].filter((part) => part !== '');
    return `retry in ${done.run.campaign}.${String(done.run.number)} by ${by}: ${parts.join(', ')}`;
  }
}

const NOTHING: RetryResult = { run: null, planned: 0, reread: 0, followed: 0 };

export type RetryChoice = Omit<RetryInput, 'by'>;
