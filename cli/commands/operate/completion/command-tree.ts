import { type Command } from 'commander';

import { RETRY_STATES } from '../../correct/retry-selection';
import { type Listed } from './values';

/** What can be completed at a position: these words, a name from the ledger, a file, or something only the user knows. */
export type Choice = readonly string[] | Listed | 'file' | 'other';

export interface CompletedFlag {
  long: string;
  /** One letter, without its dash. */
  short: string | null;
  summary: string;
  /** Null for a flag that takes no value. */
  value: Choice | null;
}

export interface CompletedCommand {
  name: string;
  summary: string;
  /** Of its arguments, in order. */
  arguments: readonly Choice[];
  flags: readonly CompletedFlag[];
}

/** The data for the shells, from the program's own tree of commands; `states` are those of a row. */
export function commandTree(program: Command, states: readonly string[]): CompletedCommand[] {
  const choiceOf = choices(states);
  return program
    .createHelp()
    .visibleCommands(program)
    .map((command) => ({
      name: command.name(),
      summary: firstSentence(command.description()),
      arguments: command.registeredArguments.map((argument) =>
        command.name() === 'help'
          ? program.commands.map((one) => one.name())
          : choiceOf(command, argument.name(), argument.argChoices ?? wordsOf(argument.description)),
      ),
      flags: command
        .createHelp()
        .visibleOptions(command)
        .map((option) => ({
          long: (option.long ?? '').replace(/^--/, ''),
          short: option.short?.replace(/^-/, '') ?? null,
          summary: firstSentence(option.description),
          value:
            option.required || option.optional
              ? choiceOf(command, valueName(option.flags), option.argChoices, option.long)
              : null,
        })),
    }));
}

function valueName(flags: string): string {
  return /[<[]([^<[>\]]+)[>\]]/.exec(flags)?.[1] ?? '';
}

function choices(states: readonly string[]) {
  return (command: Command, name: string, words: readonly string[] | undefined, flag?: string): Choice => {
    if (words !== undefined) return words;
    if (name === 'run') return 'run';
    if (name === 'states') return command.name() === 'retry' ? RETRY_STATES : states;
    if (flag === '--campaign') return 'campaign';
    if (command.name() === 'schedule' && name === 'name' && flag === undefined) return 'schedule';
    // In other commands these belong to a manifest or to the service.
    if (command.registeredArguments[0]?.name() === 'run' && (name === 'key' || name === 'channel')) return name;
    return /^(file|folder|manifest|path|dir)$/.test(name) ? 'file' : 'other';
  };
}

/** An argument whose description is just the list of its words: `status, backup, export`. */
function wordsOf(description: string): string[] | undefined {
  return /^[a-z-]+(, [a-z-]+)+$/.test(description) ? description.split(', ') : undefined;
}

function firstSentence(text: string): string {
  return text.split(/[.;:] /)[0]?.replace(/\.$/, '') ?? text;
}
