import { Argument, type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../../command';
import { SHELLS, type Shell } from './scripts';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';

export function addCompletion(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'completion',
    summary: 'Print a script that completes commands, flags and names (runs, keys, channels, schedules) in a shell.',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/reelay',
      'completion zsh > "${fpath[1]}/_reelay"',
      'completion fish > ~/.config/fish/completions/reelay.fish',
    ],
    plain: true,
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell, flags: CommandFlags) => run(flags, (context) => completion(context, shell, program)));
}

async function completion({ output }: CommandContext, shell: Shell, program: Command): Promise<ExitCode> {
  const [{ commandTree }, { completionScript }, { ROW_STATES }] = await Promise.all([
    import('./command-tree.js'),
    import('./scripts.js'),
    import('../../../../ledger/model/states.js'),
  ]);
  const script = completionScript(shell, commandTree(program, ROW_STATES));
  if (output.isText) await output.data(script);
  else await output.json({ version: 1, shell, script });
  return EXIT.ok;
}
