import { type Command } from 'commander';
import { addCommand, collect, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & { key?: string[]; channel?: string; yes?: boolean };

export function addCancel(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'cancel',
    summary: 'Stop sending permanently, and list what is live and can’t be undone.',
    examples: [
      'cancel spring',
      'cancel spring.3 --yes',
      'cancel spring --key ep-3 --key ep-4',
      'cancel spring --channel "Garden · long"',
    ],
  })
    .argument('<run>', 'NAME.N, NAME (its newest), latest or a workflow id')
    .option('--key <key>', 'only this row (repeatable)', collect)
    .option('--channel <channel>', 'only rows of this channel, as `reelay plan` names it')
    .option('--yes', 'don’t ask')
    .action((name: string, flags: Flags) => run(flags, (context) => cancel(context, name, flags)));
}

async function cancel({ output, flags: shared }: CommandContext, name: string, flags: Flags): Promise<ExitCode> {
  const [{ loadSettings, whoAmI }, { findRun, openExistingLedger }, target, { confirm }, { plural }] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../shared/resolve-run.js'),
      import('./cancel-target.js'),
      import('../../terminal/ask.js'),
      import('../../terminal/safe-text.js'),
    ]);
  const settings = await loadSettings(shared);
  const ledger = await openExistingLedger(settings, { name });
  try {
    const run = await findRun(settings, ledger, name);
    const chosen = await target.chooseTarget(ledger, run, flags);
    const id = `${run.campaign}.${String(run.number)}`;
    const { channelId, keys } = chosen;
    const scope = {
      run,
      ...(channelId === undefined ? {} : { channelId }),
      ...(keys === undefined ? {} : { keys }),
    };
    if (flags.yes !== true) {
      const { total } = await target.liveRows(ledger, run, chosen);
      const preview = { ...(await ledger.previewCancel(scope)), live: total };
      await confirm({ output, yes: false, question: target.cancelQuestion(`${id} ${chosen.words}`, preview, chosen) });
    }
    const done = await ledger.cancel({ ...scope, by: await whoAmI() });
    const live = await target.liveRows(ledger, run, chosen);
    // From here on nothing more is claimed, whatever Temporal does; the signal only makes it check sooner.
    const whole = channelId === undefined && keys === undefined;
    const wasWoken = run.open ? await target.wakeRun(settings, run, output, { cancelled: whole }) : true;
    if (output.isText) {
      const unsent =
        done.cancelled === 0 ? 'no row waited to be sent' : `${plural(done.cancelled, 'row')} will not be sent`;
      await output.lines([`cancelled ${id} ${chosen.words}: ${unsent}`]);
      if (done.claimed > 0)
        output.note(
          `${plural(done.claimed, 'row')} being sent right now: uploads stop within seconds, the rest is followed to its end.`,
        );
      for (const line of target.liveLines(live)) output.note(line);
      const [{ placeFlags }, { printNext }] = await Promise.all([
        import('../../terminal/texts/command-text.js'),
        import('../../terminal/texts/next-lines.js'),
      ]);
      const goesOn = done.claimed > 0 || live.total > 0;
      if (done.cancelled > 0) output.note('To send these rows after all, submit the manifest again with --uncancel.');
      const [show, what] = goesOn ? ['status', 'shows their state'] : ['results', 'shows every row'];
      printNext(output, [{ command: `reelay ${show} ${id}${placeFlags(settings.sandbox)}`, what }]);
    } else await output.json({ version: 1, run: id, ...done, live: live.total, wasWoken: wasWoken });
    return EXIT.ok;
  } finally {
    await ledger.close();
  }
}
