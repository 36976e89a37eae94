import { Option, type Command } from 'commander';
import { type ExitCode } from './errors/exit-codes';
import { type LogFlags } from './terminal/log-flags';
import { FORMATS, type Format, type Output } from './terminal/output';
import { type SharedFlags } from './config/settings';

/** Flags that every command takes. */
export interface CommandFlags extends SharedFlags, LogFlags {
  output: Format;
  verbose?: boolean;
}

export interface CommandContext {
  output: Output;
  flags: CommandFlags;
  /** The command line, without `node` and the script. */
  argv: readonly string[];
}

/** Runs a command's body with its output set up and its errors reported. */
export type Runner = (flags: CommandFlags, body: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;

export interface CommandFrame {
  name: string;
  summary: string;
  /** Shown first in the help; each without the leading `reelay`. */
  examples: readonly string[];
  /** Replaces text, json and jsonl. */
  formats?: readonly Format[];
  /** What its group does if no command is given. */
  isDefault?: boolean;
  /** For programs: neither in the help nor in completions. */
  hidden?: boolean;
  /** Doesn't use the ledger or the service, so it has no flags for them. */
  plain?: boolean;
}

/** Adds a command with everything that all commands have in common. */
export function addCommand(program: Command, frame: CommandFrame): Command {
  const command = program
    .command(frame.name, { isDefault: frame.isDefault ?? false, hidden: frame.hidden ?? false })
    .description(frame.summary);
  command.addHelpText('before', `Examples:\n${frame.examples.map((line) => `  $ reelay ${line}`).join('\n')}\n`);
  command.addOption(
    new Option('-o, --output <format>', 'output format').choices([...(frame.formats ?? FORMATS)]).default('text'),
  );
  command.option('--verbose', 'show details of unexpected errors');
  if (frame.plain) return command;
  return command
    .option('--config <file>', 'config file (default: reelay.config.yaml, searched upward)')
    .option('--home <folder>', 'where the ledger and results are kept (REELAY_HOME)')
    .option('--base-url <url>', 'address of the publishing service (REELAY_BASE_URL)')
    .option('--sandbox', 'use a simulated service, with its own home and ledger');
}

/** A command with subcommands; its help includes theirs, so that everything is found in one place. */
export function addGroup(program: Command, name: string, summary: string): Command {
  const group = program.command(name).description(summary);
  group.addHelpText('after', () =>
    group.commands
      .filter((command) => command.name() !== 'help')
      .map((command) => `\n${command.helpInformation()}`)
      .join('\n'),
  );
  return group;
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
