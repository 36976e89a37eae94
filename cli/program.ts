import { Command } from 'commander';
import { type Runner } from './command';
import { addCancel } from './commands/cancel';
import { addCheck } from './commands/check';
import { addCompletion } from './commands/completion';
import { addDoctor } from './commands/doctor';
import { addInit } from './commands/init';
import { addLedger } from './commands/ledger';
import { addList } from './commands/list';
import { addOpen } from './commands/open';
import { addPause } from './commands/pause';
import { addPlan } from './commands/plan';
import { addProfiles } from './commands/profiles';
import { addPublications } from './commands/publications';
import { addResolve } from './commands/resolve';
import { addResults } from './commands/results';
import { addRetry } from './commands/retry';
import { addResume } from './commands/resume';
import { addRun } from './commands/run';
import { addSandbox } from './commands/sandbox';
import { addSchedule } from './commands/schedule';
import { addSchema } from './commands/schema';
import { addSet } from './commands/set';
import { addStatus } from './commands/status';
import { addSubmit } from './commands/submit';
import { addUp } from './commands/up';
import { addWatch } from './commands/watch';
import { addWorker } from './commands/worker';
import { EXIT_MEANING } from './exit-codes';
import { type OutputStream } from './output';
import { programVersion } from './version';

const EXAMPLES = `Examples:
  $ reelay run spring.csv --sandbox   try a campaign with the stand-in service
  $ reelay check spring.csv           every problem of it, nothing sent
  $ reelay run spring.csv             publish it
  $ reelay results spring -o csv      what came of every row
`;

/** All commands, in the order a person meets them. Light: what a command needs is loaded when it runs. */
export function buildProgram(run: Runner, streams: { stdout: OutputStream; stderr: OutputStream }): Command {
  const program = new Command('reelay');
  program
    .description('Publishes campaigns of videos from YAML and CSV manifests, each row at most once.')
    .version(programVersion(), '-V, --version', 'the version')
    .helpOption('-h, --help', 'this help')
    .helpCommand('help [command]', 'help on a command')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      // Errors are told in one place, in the format asked for.
      outputError: () => undefined,
    })
    .addHelpText('before', EXAMPLES)
    .addHelpText('after', exitCodes());
  for (const add of [
    addInit,
    addRun,
    addCheck,
    addPlan,
    addSubmit,
    addWatch,
    addStatus,
    addList,
    addResults,
    addRetry,
    addResolve,
    addPause,
    addResume,
    addCancel,
    addProfiles,
    addPublications,
    addSet,
    addSchedule,
    addWorker,
    addUp,
    addDoctor,
    addOpen,
    addLedger,
    addSandbox,
    addSchema,
    addCompletion,
  ]) {
    add(program, run);
  }
  return program;
}

function exitCodes(): string {
  const lines = Object.entries(EXIT_MEANING).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}
