import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode, pickExit } from '../../errors/exit-codes';

type Flags = CommandFlags & { since?: string; all?: boolean };

export function addRecheck(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'recheck',
    summary: 'Read finished rows again and report what is no longer as requested.',
    examples: ['recheck spring', 'recheck --since 7d -o jsonl'],
  })
    .argument('[run]', 'NAME.N, NAME (its newest), latest or a workflow id')
    .option('--since <when>', 'every campaign that ran since then, such as 7d or 2026-11-01')
    .option('--all', 'every campaign')
    .action((name: string | undefined, flags: Flags) => run(flags, (context) => recheck(context, name, flags)));
}

async function recheck(
  { output, flags: shared }: CommandContext,
  name: string | undefined,
  flags: Flags,
): Promise<ExitCode> {
  const [{ openSession }, { whoAmI }, selection, { recheckViews }, { plural }] = await Promise.all([
    import('../../shared/service-session.js'),
    import('../../config/settings.js'),
    import('./result-selection.js'),
    import('./recheck-rows.js'),
    import('../../terminal/safe-text.js'),
  ]);
  const since = selection.sinceOf(flags);
  selection.demandOneOf(name, since);
  const by = await whoAmI();
  const session = await openSession(output, shared, 'change');
  try {
    const found = await selection.selectViews(session.settings, session.ledger, { name: name ?? 'latest', since });
    const everything = flags.all ?? false;
    const onRow = (row: object): Promise<void> => output.event({ type: 'row', row });
    const { read, rows } = await recheckViews({ session, views: found.map(({ view }) => view), everything, by, onRow });
    const unread = rows.filter(({ code }) => code === 'unread').length;
    const cleared = rows.filter(({ code }) => code === null).length;
    const otherwise = rows.length - unread - cleared;
    const exitCode = pickExit([...(unread > 0 ? [EXIT.unreachable] : []), ...(otherwise > 0 ? [EXIT.failed] : [])]);
    if (!output.isText) {
      const campaigns = found.map(({ info }) => info.campaign);
      await output.json({ version: 1, campaigns, read, found: otherwise, cleared, unread, exit_code: exitCode, rows });
      return exitCode;
    }
    await output.lines(
      rows.map((row) =>
        [row.run, row.key, row.channel, row.code ?? 'as requested again', row.message ?? ''].join('\t'),
      ),
    );
    const parts = [
      `${plural(otherwise, 'row')} not as requested`,
      ...(cleared > 0 ? [`${plural(cleared, 'row')} as requested again`] : []),
      ...(unread > 0 ? [`${plural(unread, 'row')} could not be read`] : []),
    ];
    output.note(`Read ${plural(read, 'publication')} again: ${parts.join(', ')}.`);
    return exitCode;
  } finally {
    await session.close();
  }
}
