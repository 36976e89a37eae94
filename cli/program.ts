import { Command } from 'commander';
import { type Runner } from './command';
import { addCancel } from './commands/control/cancel';
import { addCheck } from './commands/manifests/check';
import { addCompletion } from './commands/operate/completion/completion';
import { addCodecServer } from './commands/operate/codec-server';
import { addComplete } from './commands/operate/completion/values';
import { addDoctor } from './commands/operate/doctor/doctor';
import { addInit } from './commands/account/init/init';
import { addLedger } from './commands/operate/ledger';
import { addList } from './commands/results/list';
import { addOpen } from './commands/results/open';
import { addPause } from './commands/control/pause';
import { addPlan } from './commands/manifests/plan';
import { addProfiles } from './commands/account/profiles';
import { addPublications } from './commands/account/publications/publications';
import { addRecheck } from './commands/results/recheck';
import { addResolve } from './commands/correct/resolve/resolve';
import { addResults } from './commands/results/results';
import { addRetry } from './commands/correct/retry';
import { addResume } from './commands/control/resume';
import { addRun } from './commands/campaigns/run';
import { addSandbox } from './commands/operate/sandbox';
import { addSchedule } from './commands/schedule/schedule';
import { addSchema } from './commands/manifests/schema';
import { addSet } from './commands/control/set';
import { addStatus } from './commands/results/status';
import { addSubmit } from './commands/campaigns/submit';
import { addUp } from './commands/operate/up';
import { addWatch } from './commands/campaigns/watch';
import { addWorker } from './commands/operate/worker';
import { EXIT_MEANING } from './errors/exit-codes';
import { type OutputStream } from './terminal/output';
import { docPage } from './shared/doc-page';
import { programVersion } from './version';

const EXAMPLES = `Examples:
  $ reelay run spring.csv --sandbox   try a campaign with the simulated service
  $ reelay check spring.csv           list its problems, send nothing
  $ reelay run spring.csv             publish it
  $ reelay results spring -o csv      the result of every row
`;

/** All commands, in the order in which a person meets them. Loads little: what a command needs is loaded when it runs. */
export function buildProgram(run: Runner, streams: { stdout: OutputStream; stderr: OutputStream }): Command {
  const program = new Command('reelay');
  program
    .description('Publishes campaigns of videos from YAML and CSV manifests, each row at most once.')
    .version(programVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show help on a command')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      // Errors are reported in one place, in the requested format.
      outputError: () => undefined,
    })
    .addHelpText('before', EXAMPLES)
    .addHelpText('after', exitCodes())
    .addHelpText('after', documentation);
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
    addRecheck,
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
    addCodecServer,
    addSandbox,
    addSchema,
    addCompletion,
    addComplete,
  ]) {
    add(program, run);
  }
  return program;
}

function exitCodes(): string {
  const lines = Object.entries(EXIT_MEANING).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}

function documentation(): string {
  const page = docPage('README.md');
  return page === null ? '' : `\nDocumentation: ${page}`;
}
