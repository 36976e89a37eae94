import { type Command } from 'commander';

/** What may stand at a place: these words, the name of a run, a file, or something only the user knows. */
export type Choice = readonly string[] | 'run' | 'file' | 'other';

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

/** What the shells need to know, from the program's own tree of commands. */
export function commandTree(program: Command): CompletedCommand[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .map((command) => ({
      name: command.name(),
      summary: firstSentence(command.description()),
      arguments: command.registeredArguments.map((argument) =>
        command.name() === 'help'
          ? program.commands.map((one) => one.name())
          : choiceOf(argument.name(), argument.argChoices ?? wordsOf(argument.description)),
      ),
      flags: command
        .createHelp()
        .visibleOptions(command)
        .map((option) => ({
          long: (option.long ?? '').replace(/^--/, ''),
          short: option.short?.replace(/^-/, '') ?? null,
          summary: firstSentence(option.description),
          value: option.required || option.optional ? choiceOf(valueName(option.flags), option.argChoices) : null,
        })),
    }));
}

function valueName(flags: string): string {
  return /[<[]([^<[>\]]+)[>\]]/.exec(flags)?.[1] ?? '';
}

function choiceOf(name: string, choices: readonly string[] | undefined): Choice {
  if (choices !== undefined) return choices;
  if (name === 'run') return 'run';
  return /^(file|folder|manifest|path|dir)$/.test(name) ? 'file' : 'other';
}

/** An argument described by nothing but the words it takes: `status, backup, export`. */
function wordsOf(description: string): string[] | undefined {
  return /^[a-z-]+(, [a-z-]+)+$/.test(description) ? description.split(', ') : undefined;
}

function firstSentence(text: string): string {
  return text.split(/[.;:] /)[0]?.replace(/\.$/, '') ?? text;
}
