import { Option, type Command } from 'commander';
import { addCommand, addGroup, type CommandContext, type CommandFlags, type Runner } from '../../../command';
import { type ExitCode } from '../../../errors/exit-codes';
import { type AdoptFlags } from './publication-adopt';
import { type DeleteFlags } from './publication-delete';
import { type EditFlags } from './publication-edit';
import { type ListFlags } from './publication-list';

/** Publications at the service (interface, sections 4.4 and 4.6 to 4.8), with the rows they belong to. */
export function addPublications(program: Command, run: Runner): void {
  const group = addGroup(program, 'publications', 'Inspect publications at the service, and the rows they belong to.');
  const account = '--account <name>';
  addCommand(group, {
    name: 'list',
    summary: 'List publications, newest first.',
    examples: [
      'publications list --status failed',
      'publications list --all -o json',
      'publications list --profile Garden --limit 100 --offset 100',
      'publications list --status draft   drafts of this ledger’s rows',
    ],
    isDefault: true,
  })
    .option(account, 'the account')
    .option('--profile <profile>', 'only publications of this profile (id or name)')
    .option('--platform <platform>', 'only publications on this platform (wire value or kind)')
    .addOption(
      new Option('--status <status>', 'only publications with this status').choices([
        'pending',
        'processing',
        'published',
        'failed',
        'draft',
      ]),
    )
    .option('--limit <n>', 'maximum number of publications, 1 to 100 (default 20)')
    .option('--offset <n>', 'number of newest publications to skip (default 0)')
    .addOption(
      new Option('--all', 'every page, correct even while publications appear and disappear').conflicts([
        'limit',
        'offset',
      ]),
    )
    .action((flags: ListFlags) =>
      run(flags, async (context) => (await import('./publication-list.js')).listPublications(context, flags)),
    );
  addCommand(group, {
    name: 'show',
    summary: 'Show one publication with all fields that the service shows, and its row.',
    examples: ['publications show 6b0e1c62-…'],
  })
    .argument('<id>', 'the publication’s id')
    .option(account, 'the account it belongs to')
    .action((id: string, flags: CommandFlags) =>
      run(flags, async (context) => (await import('./publication-list.js')).showPublication(context, id)),
    );
  addCommand(group, {
    name: 'edit',
    summary: 'Change a draft or pending publication; others can’t be changed.',
    examples: ['publications edit 6b0e1c62-… --title "Episode 3"', 'publications edit 6b0e1c62-… --status pending'],
  })
    .argument('<id>', 'the publication’s id')
    .option(account, 'the account it belongs to')
    .option('--title <text>', 'the new title')
    .option('--description <text>', 'the new description (long platforms only)')
    .option('--privacy <privacy>', 'public, private or unlisted (long platforms only)')
    .option('--status <status>', 'draft or pending')
    .action((id: string, flags: EditFlags) => run(flags, (context) => edit(context, id, flags)));
  addCommand(group, {
    name: 'delete',
    summary: 'Delete records at the service; videos on the platforms stay.',
    examples: ['publications delete 6b0e1c62-…', 'publications delete --run spring --state failed'],
  })
    .argument('[ids...]', 'the publications’ ids')
    .option(account, 'the account they belong to')
    .option('--run <run>', 'those of a run’s campaign: NAME.N, NAME or latest')
    .option('--state <states>', 'with --run: only those of rows in these states, separated by commas')
    .option('--force', 'delete even publications that are still processing')
    .option('--yes', 'don’t ask')
    .action((ids: string[], flags: DeleteFlags) =>
      run(flags, async (context) => (await import('./publication-delete.js')).deletePublications(context, ids, flags)),
    );
  addCommand(group, {
    name: 'adopt',
    summary: 'Assign an existing publication to a row, so that nothing is created for the row.',
    examples: ['publications adopt 6b0e1c62-… --campaign spring --key ep-3'],
  })
    .argument('<id>', 'the publication’s id')
    .option(account, 'the account it belongs to')
    .requiredOption('--campaign <name>', 'the campaign that has the row')
    .requiredOption('--key <key>', 'the row’s key')
    .option('--profile <profile>', 'which profile, if the key has rows in several: id, name or default')
    .option('--yes', 'don’t ask')
    .action((id: string, flags: AdoptFlags) =>
      run(flags, async (context) => (await import('./publication-adopt.js')).adoptPublication(context, id, flags)),
    );
}

async function edit(context: CommandContext, id: string, flags: EditFlags): Promise<ExitCode> {
  const { editPublication } = await import('./publication-edit.js');
  return editPublication(context, id, flags);
}
