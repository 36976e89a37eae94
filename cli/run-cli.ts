import { type Command, type CommanderError } from 'commander';
import { type CommandContext, type CommandFlags, type Runner } from './command';
import { DeclinedError, RefusedError, UsageError } from './errors/errors';
import { EXIT, type ExitCode } from './errors/exit-codes';
import { explainError } from './errors/explain-error';
import { nearest } from './terminal/nearest';
import { noteGivenConfig } from './shared/run-config';
import { noteHome } from './terminal/texts/command-text';
import { logStyleOf, type LogStyle } from './terminal/log-flags';
import { FORMATS, Output, type Format, type OutputStream } from './terminal/output';
import { problemLines } from './terminal/texts/problems-text';
import { buildProgram } from './program';
import { terminalEnvironment } from './config/environment';

export interface Streams {
  stdout: OutputStream;
  stderr: OutputStream;
}

/** Runs one command line (without `node` and the script) and returns its exit code; never throws. */
export async function runCli(argv: readonly string[], streams: Streams = process): Promise<number> {
  const environment = terminalEnvironment();
  const make = (format: Format, verbose: boolean, logStyle: LogStyle | null = null): Output =>
    new Output({ ...streams, format, environment, verbose, logStyle, sandbox: argv.includes('--sandbox') });
  // Created before the command line is parsed, for errors in the command line itself.
  let output = make(askedFormat(argv), argv.includes('--verbose'));
  let code: ExitCode = EXIT.ok;

  noteHome(undefined);
  noteGivenConfig(undefined);
  const run: Runner = async (flags: CommandFlags, command) => {
    noteHome(flags.home);
    noteGivenConfig(flags.config);
    output = make(flags.output, flags.verbose ?? false, logStyleOf(flags));
    const context: CommandContext = { output, flags, argv };
    code = await command(context);
  };

  const program = buildProgram(run, streams);
  try {
    demandHelpTopic(argv, program);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    const error = isCommanderError(thrown) ? (excessOf(thrown, argv, program) ?? usageOf(thrown, argv)) : thrown;
    if (error === null) return EXIT.ok;
    const explained = explainError(error);
    if (output.isText && explained.problems !== null) {
      const source = error instanceof RefusedError ? error.source : null;
      for (const line of problemLines(explained.problems, output, source)) output.note(line);
    }
    if (output.isText && error instanceof DeclinedError) output.note(explained.message);
    else await output.error(explained);
    code = explained.exitCode;
  }
  output.clear();
  await output.flush();
  return code;
}

/** The output format that a command line requests, as far as it can be seen without parsing the rest. */
export function askedFormat(argv: readonly string[]): Format {
  for (const [index, word] of argv.entries()) {
    if (word === '--') break;
    const value =
      word === '-o' || word === '--output'
        ? argv[index + 1]
        : word.startsWith('--output=')
          ? word.slice('--output='.length)
          : /^-o./.test(word)
            ? word.slice(2)
            : undefined;
    const format = FORMATS.find((one) => one === value);
    if (format) return format;
  }
  return 'text';
}

function isCommanderError(thrown: unknown): thrown is CommanderError {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('commander.');
}

/** Every error of the parser is a usage error; requested help and version are not errors. */
function usageOf(error: CommanderError, [command]: readonly string[]): UsageError | null {
  if (error.exitCode === 0) return null;
  if (error.code === 'commander.help') return new UsageError('no command given', 'See `reelay --help`.');
  const [message = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  if (/^unknown option '--out(?:=|')/.test(message)) {
    const redirected = command === 'plan' ? '-o html > plan.html' : '-o json > answer.json';
    return new UsageError(message, `The answer goes to standard output: redirect it, as in \`${redirected}\`.`);
  }
  const suggestion = /\(?(Did you mean .*?)\)?$/is.exec(rest.join(' ').trim())?.[1];
  return new UsageError(message, suggestion ?? 'See --help.');
}

/** Otherwise `help` for an unknown command would print the general help. @throws UsageError */
function demandHelpTopic([first, topic]: readonly string[], program: Command): void {
  if (first !== 'help' || topic === undefined || topic.startsWith('-')) return;
  const names = program.commands.map((command) => command.name());
  if (names.includes(topic) || topic === 'help') return;
  throw unknownCommand(topic, names);
}

function unknownCommand(word: string, names: readonly string[], group = ''): UsageError {
  const near = nearest(word, names);
  const guess = near === null ? '' : `Did you mean ${group}${near}? `;
  return new UsageError(`unknown command “${group}${word}”`, `${guess}See \`reelay ${group}--help\`.`);
}

/**
 * What surplus words mean: an unknown word after a group goes to the group's default command, which can only count it;
 * several manifests come from a `*.csv`.
 */
function excessOf(error: CommanderError, argv: readonly string[], program: Command): UsageError | null {
  if (error.code !== 'commander.excessArguments') return null;
  const [name = '', word = ''] = argv;
  const command = program.commands.find((one) => one.name() === name);
  const names = command?.commands.map((one) => one.name()) ?? [];
  if (names.length > 0 && !word.startsWith('-') && !names.includes(word))
    return unknownCommand(word, names, `${name} `);
  if (command?.registeredArguments[0]?.name() !== 'manifest') return null;
  return new UsageError(`${name} takes one manifest at a time`, 'Repeat the command for each file.');
}
