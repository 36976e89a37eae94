import { type Command } from 'commander';
import { type Ledger } from '../../../../ledger/ledger';
import { type RunInfo, type RunRef } from '../../../../ledger/model/types';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../../command';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';
import { type CheckedVerdict } from './resolve-check';
import { type VerdictFlags } from './resolve-choice';
import { type Settings } from '../../../config/settings';

type Flags = CommandFlags & VerdictFlags & { channel?: string; from?: string; yes?: boolean };

export function addResolve(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'resolve',
    summary: 'Settle an unconfirmed row: state whether it was published.',
    examples: [
      'resolve spring ep-3 --published 6b0e1c62…  it is that publication',
      'resolve spring ep-3 --published            a live direct publish',
      'resolve spring ep-3 --not-published        missing: create it',
      'resolve spring ep-3 --give-up              create nothing',
      'resolve spring --from settle.csv           many rows: key and resolve',
    ],
  })
    .argument('<run>', 'NAME.N, NAME (its newest), latest or a workflow id')
    .argument('[key]', 'the row’s key')
    .option(
      '--published [id]',
      'it is this publication, which is followed to its end; nothing new is created. A direct publish needs no id',
    )
    .option('--not-published', 'you checked and it doesn’t exist: it is created again')
    .option('--give-up', 'give it up: nothing is created, and the video may be live')
    .option('--channel <channel>', 'which channel, if the key is unconfirmed in several')
    .option('--from <file>', 'a CSV with the columns key (or reelay_key) and resolve')
    .option('--yes', 'don’t ask')
    .action((name: string, key: string | undefined, flags: Flags) =>
      run(flags, (context) => resolve(context, { name, key, flags })),
    );
}

async function resolve(
  { output, flags: shared }: CommandContext,
  given: { name: string; key: string | undefined; flags: Flags },
): Promise<ExitCode> {
  const { name, key, flags } = given;
  const [{ loadSettings, whoAmI }, { findRun, openExistingLedger }, { confirm }, { plural }, lookups] =
    await Promise.all([
      import('../../../config/settings.js'),
      import('../../../shared/resolve-run.js'),
      import('../../../terminal/ask.js'),
      import('../../../terminal/safe-text.js'),
      import('./resolve-verdicts.js'),
    ]);
  const asked = lookups.demandOneWay(key, flags);
  const settings = await loadSettings(shared);
  const service = lookups.lazyAccounts(settings, output);
  const ledger = await openExistingLedger(settings, { use: 'change', name });
  try {
    const run = await findRun(settings, ledger, name);
    const verdicts = await lookups.collectVerdicts({ ledger, run, asked, flags, accounts: service.open });
    if (verdicts.length === 0) {
      await answer(run, [], null, true);
      return EXIT.ok;
    }
    for (const { words, warning } of verdicts) {
      output.note(words);
      if (warning !== null) output.warn(warning);
    }
    await confirm({
      output,
      yes: flags.yes ?? false,
      question: `Settle ${plural(verdicts.length, 'row')} of ${run.campaign} as shown above?`,
    });
    const by = await whoAmI();
    const newest = await ledger.newestRun(run.campaign);
    const { states, next } = await settleAll(ledger, run, verdicts, by);
    const wasWoken = next === null ? true : await goOn(settings, ledger, next, by);
    await answer(run, states, next, wasWoken);
    if (next !== null && wasWoken && output.isText) await tellRun(next, next.number > (newest?.number ?? 0));
    return EXIT.ok;
  } finally {
    await ledger.close();
    await service.close();
  }

  async function goOn(own: Settings, to: Ledger, next: RunRef, by: string): Promise<boolean> {
    const { wakeOrWarn } = await import('../../../watch/wake-run.js');
    return wakeOrWarn({ output, settings: own, ledger: to, run: next, by });
  }

  /** If workers are running, a run publishes what was settled without any further command. */
  async function tellRun(next: RunRef, isNew: boolean): Promise<void> {
    const id = `${next.campaign}.${String(next.number)}`;
    output.note(isNew ? `Started run ${id}; a worker is running it.` : `Run ${id} continues with this.`);
    const [{ printNext }, { placeFlags }] = await Promise.all([
      import('../../../terminal/texts/next-lines.js'),
      import('../../../terminal/texts/command-text.js'),
    ]);
    printNext(output, [
      { command: `reelay watch ${id}${placeFlags(settings.sandbox)}`, what: 'follows it in a terminal' },
    ]);
  }

  async function answer(run: RunInfo, rows: readonly Settled[], next: RunRef | null, wasWoken: boolean): Promise<void> {
    const id = next === null ? null : `${next.campaign}.${String(next.number)}`;
    if (!output.isText) {
      await output.json({ version: 1, campaign: run.campaign, run: id, rows, wasWoken: wasWoken });
      return;
    }
    await output.lines(
      rows.length === 0
        ? [`nothing to settle in ${run.campaign}`]
        : rows.map((row) => `${row.key}\t${row.channel}\t${row.state}`),
    );
  }
}

interface Settled {
  line: number;
  key: string;
  channel: string;
  decision: string;
  publication_id: string | null;
  publish_id: string | null;
  state: string;
  by: string;
  at: string;
}

async function settleAll(
  ledger: Ledger,
  run: RunInfo,
  verdicts: readonly CheckedVerdict[],
  by: string,
): Promise<{ states: Settled[]; next: RunRef | null }> {
  const states: Settled[] = [];
  let next: RunRef | null = null;
  for (const { row, decision } of verdicts) {
    const { key, line, channel, channelId, attempts } = row;
    const done = await ledger.resolve({ run, key, channelId, attempts, decision, by });
    next = done.run ?? next;
    const publication_id = decision.kind === 'published' ? decision.publicationId : null;
    const publish_id = decision.kind === 'submitted' ? decision.publishId : null;
    const at = new Date().toISOString();
    states.push({ line, key, channel, decision: decision.kind, publication_id, publish_id, state: done.state, by, at });
  }
  return { states, next };
}
