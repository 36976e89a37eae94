import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../../command';
import { type SeenService } from './inspect-service';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';

type Flags = CommandFlags & { keyEnv?: string; dir?: string; force?: boolean };

export function addInit(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'init',
    summary: 'Set up a folder: ask for the service, test the key, write a config and starter manifests.',
    examples: ['init', 'init --base-url https://service.example --key-env REELAY_API_KEY', 'init --sandbox'],
  })
    .option('--key-env <name>', 'environment variable that holds the API key (never the key itself)')
    .option('--dir <folder>', 'where to write (default: the current folder)')
    .option('--force', 'overwrite existing files')
    .action((flags: Flags) => run(flags, (context) => init(context, flags)));
}

async function init({ output, flags: shared }: CommandContext, flags: Flags): Promise<ExitCode> {
  const [{ inspectService, keepForRehearsal }, { chooseSetup }, { writeStarterFiles }, path] = await Promise.all([
    import('./inspect-service.js'),
    import('./init-setup.js'),
    import('./starter-files.js'),
    import('node:path'),
  ]);
  let setup = await chooseSetup(shared, flags, output);
  let found: SeenService | null = null;
  while (!setup.sandbox && found === null) {
    try {
      found = await inspectService(setup, output);
    } catch (error) {
      // The address may have been mistyped.
      if (!setup.asked) throw error;
      output.warn((error as Error).message);
      setup = await chooseSetup(shared, flags, output);
    }
  }
  if (found) await keepForRehearsal(setup.adopted, found);
  const folder = path.resolve(flags.dir ?? '.');
  const files = await writeStarterFiles({
    folder,
    setup,
    platforms: found?.platforms ?? [],
    profiles: found?.profiles ?? [],
    force: flags.force ?? false,
  });
  if (output.isText) {
    if (found) {
      await output.table(found.profiles, [
        { title: 'PROFILE', value: (profile) => profile.name, shrink: true },
        { title: 'ID', value: (profile) => profile.id, whole: true },
        { title: 'PLATFORMS', value: (profile) => profile.platforms.join(', '), shrink: true },
      ]);
    }
    for (const file of files.written) output.note(`Wrote ${file}`);
    for (const file of files.kept) output.note(`Kept ${file}, which was there (--force overwrites)`);
    if (setup.sandbox)
      output.note(
        'No reelay.config.yaml was written: the sandbox needs none. `reelay init --base-url URL` writes one for your service.',
      );
    const { shellWord } = await import('../../../../wording/shell.js');
    const command = `reelay run ${shellWord(files.manifest)}`;
    const { printNext } = await import('../../../terminal/texts/next-lines.js');
    if (setup.sandbox)
      printNext(output, [{ command: `${command} --sandbox`, what: 'publishes it to a simulated service' }]);
    else {
      if (!files.rolesKnown)
        output.note(
          `First say in ${path.join(folder, 'reelay.config.yaml')} which of your platforms are short and which are long.`,
        );
      output.note(`${files.manifest} has examples only, which are skipped: put in your own videos.`);
      printNext(output, [
        { command: `${command} --sandbox`, what: 'a rehearsal with your profiles, in a simulated service' },
        { command, what: 'publishes it' },
      ]);
    }
  } else {
    const { written, kept, manifest } = files;
    await output.json({
      version: 1,
      written,
      kept,
      manifest,
      profiles: found?.profiles ?? [],
      platforms: found?.platforms ?? [],
    });
  }
  return EXIT.ok;
}
