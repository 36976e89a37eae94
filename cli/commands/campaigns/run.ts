import { type Command } from 'commander';
import { addCommand, collect, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { type ExitCode } from '../../errors/exit-codes';
import { addLogFlags } from '../../terminal/log-flags';
import { addSubmitFlags, type SubmitFlags } from '../../submission/submit-flags';

export interface RunFlags extends CommandFlags, SubmitFlags {
  timeout?: string;
  out?: string;
  singleHost?: boolean;
}

export function addRun(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'run',
    summary: 'Publish a manifest and follow every row to its end. Starts Temporal and a worker if none is running.',
    examples: [
      'run spring.csv --sandbox       try it, nothing is published for real',
      'run spring.csv --limit 3       a trial with the first three rows',
      'run spring.csv                 all of it; after a crash: resumes',
      'run spring.csv --out results/  results into a folder of your own',
    ],
  });
  addLogFlags(
    addSubmitFlags(command.argument('<manifest>', 'a YAML, CSV or .xlsx file, its https URL, or - for standard input')),
  )
    .option('--timeout <duration>', 'stop waiting after this long, such as 2h; the same command resumes later')
    .option('--fault <rule>', 'with --sandbox: a fault to inject (repeatable; docs/tasks/sandbox.md)', collect)
    .option(
      '--behaviour <name>',
      'with --sandbox: a behaviour of the service, such as short-pages (repeatable; docs/tasks/sandbox.md)',
      collect,
    )
    .option('--out <folder>', 'folder for results.csv and report.html (default: in the home)')
    .option('--single-host', 'confirm that every worker and command of this ledger runs on this host')
    .action((manifest: string, flags: RunFlags) => run(flags, (context) => runCampaign(context, manifest, flags)));
}

async function runCampaign(context: CommandContext, manifest: string, flags: RunFlags): Promise<ExitCode> {
  const { runManifest } = await import('./run-manifest.js');
  return runManifest(context, manifest, flags);
}
