import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

type Flags = CommandFlags & { yes?: boolean; newHost?: boolean; out?: string };

const WHAT = ['status', 'backup', 'export', 'import', 'reconcile'] as const;

export function addLedger(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'ledger',
    summary:
      'Inspect, back up or export the ledger; move it to PostgreSQL; compare it with the service after a rollback.',
    examples: [
      'ledger status',
      'ledger backup ledger-copy.db',
      'ledger export --out rows.jsonl',
      'ledger import ~/.local/share/reelay/ledger.db',
      'ledger reconcile',
    ],
  })
    .argument('<what>', WHAT.join(', '))
    .argument('[file]', 'with backup: the new file; with import: the ledger’s file that moves to REELAY_DATABASE_URL')
    .option('--out <file>', 'with export: write to a file instead of standard output')
    .option('--new-host', 'with status: confirm that the ledger was moved to this machine and is not used elsewhere')
    .option('--yes', 'with import and reconcile: don’t ask')
    .action((what: string, file: string | undefined, flags: Flags) =>
      run(flags, (context) => ledger(context, { what, file, flags })),
    );
}

async function ledger(
  context: CommandContext,
  given: { what: string; file: string | undefined; flags: Flags },
): Promise<ExitCode> {
  const { what, file, flags } = given;
  const [{ loadSettings }, { UsageError }, keeping] = await Promise.all([
    import('../../config/settings.js'),
    import('../../errors/errors.js'),
    import('./ledger-maintenance.js'),
  ]);
  const settings = await loadSettings(context.flags);
  const { output } = context;
  switch (what) {
    case 'status':
      await keeping.showStatus({ output, settings, newHost: flags.newHost ?? false });
      return EXIT.ok;
    case 'backup':
      if (file === undefined)
        throw new UsageError('no file was given for the backup', 'For example `reelay ledger backup copy.db`.');
      await keeping.backupTo({ output, settings, file });
      return EXIT.ok;
    case 'export':
      await keeping.exportTo({ output, settings, file: flags.out });
      return EXIT.ok;
    case 'import':
      if (file === undefined)
        throw new UsageError('no ledger file was given', 'For example `reelay ledger import ledger.db`.');
      await (await import('./move-ledger.js')).moveLedger({ output, settings, file, yes: flags.yes ?? false });
      return EXIT.ok;
    case 'reconcile':
      await keeping.reconcile({ output, settings, yes: flags.yes ?? false });
      return EXIT.ok;
    default:
      throw new UsageError(`“${what}” is not an action of ledger`, `One of: ${WHAT.join(', ')}.`);
  }
}
