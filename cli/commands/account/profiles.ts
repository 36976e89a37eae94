import { type Command } from 'commander';
import { addCommand, addGroup, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';

/** Profiles with their channels (interface, sections 4.1 and 4.2), and the states of our rows in them. */
export function addProfiles(program: Command, run: Runner): void {
  const group = addGroup(
    program,
    'profiles',
    'List the profiles of an account with their channels and the ledger’s rows in them.',
  );
  addCommand(group, {
    name: 'list',
    summary: 'List all profiles, of every configured account or of one.',
    examples: ['profiles list', 'profiles list --account garden -o json'],
    isDefault: true,
  })
    .option('--account <name>', 'only this account')
    .action((flags: CommandFlags) => run(flags, list));
  addCommand(group, {
    name: 'show',
    summary: 'Show one profile by its id or name; `default` is where rows without a profile go.',
    examples: ['profiles show Garden', 'profiles show default'],
  })
    .argument('<profile>', 'id or name, or default')
    .option('--account <name>', 'the account it belongs to')
    .action((profile: string, flags: CommandFlags) => run(flags, (context) => show(context, profile)));
}

async function list({ output, flags }: CommandContext): Promise<ExitCode> {
  const [{ openSession }, views] = await Promise.all([
    import('../../shared/service-session.js'),
    import('./profile-views.js'),
  ]);
  const session = await openSession(output, flags, 'profiles');
  try {
    const names = flags.account === undefined ? session.accounts.names() : [session.settings.account];
    const connections = names.map((name) => session.accounts.get(name));
    const counts = await session.ledger.rowsByProfile();
    const found = await Promise.all(connections.map((connection) => views.profilesOf(connection, counts)));
    await views.showProfiles(output, found);
  } finally {
    await session.close();
  }
  return EXIT.ok;
}

async function show({ output, flags }: CommandContext, wanted: string): Promise<ExitCode> {
  const [{ openSession }, views] = await Promise.all([
    import('../../shared/service-session.js'),
    import('./profile-views.js'),
  ]);
  const session = await openSession(output, flags, 'profiles');
  try {
    const connection = session.connection();
    const counts = await session.ledger.rowsByProfile();
    const view = await views.oneProfile(connection, counts, wanted, session.settings.platforms);
    await views.showProfile(output, view);
  } finally {
    await session.close();
  }
  return EXIT.ok;
}
