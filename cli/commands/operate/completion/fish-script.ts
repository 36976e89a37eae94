import { type Choice, type CompletedCommand } from './command-tree';

/** Fish takes lines of a command's output as words, and quotes what it inserts. */
export function fish(commands: readonly CompletedCommand[]): string {
  const offer = (choice: Choice): string => {
    if (choice === 'file') return '-r -F';
    if (choice === 'other') return '-x';
    return `-x -a ${quoted(typeof choice === 'string' ? `(__reelay_names ${choice})` : choice.join(' '))}`;
  };
  const valued = commands.flatMap(({ flags }) => flags.filter(({ value }) => value !== null));
  const names = new Set(valued.flatMap(({ long, short }) => [`--${long}`, ...(short === null ? [] : [`-${short}`])]));
  const lines = commands.flatMap((command) => {
    const here = `complete -c reelay -n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`;
    return [
      `complete -c reelay -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
      `${here} -f`,
      ...command.arguments.map((choice, index) => {
        const at = `complete -c reelay -n ${quoted(`__reelay_at ${command.name} ${String(index)}`)}`;
        return choice === 'file' ? `${at} -F` : `${at} ${offer(choice).replace(/^-x/u, '-f')}`;
      }),
      ...command.flags.map((flag) => {
        const short = flag.short === null ? '' : ` -s ${flag.short}`;
        const value = flag.value === null ? '' : ` ${offer(flag.value)}`;
        return `${here} -l ${flag.long}${short} -d ${quoted(flag.summary)}${value}`;
      }),
    ];
  });
  return `# fish completion for reelay: reelay completion fish > ~/.config/fish/completions/reelay.fish
# The command, its arguments and the flags that say where the ledger is, of the words before this one.
function __reelay_words
    set -g __reelay_command
    set -g __reelay_arguments
    set -g __reelay_place
    set -l skip
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            contains -- $skip --home --config; and set -a __reelay_place "$skip=$word"
            set skip
            continue
        end
        switch $word
            case --sandbox '--home=*' '--config=*'
                set -a __reelay_place $word
            case ${[...names].join(' ')}
                set skip $word
            case '-*'
            case '*'
                if test -z "$__reelay_command"
                    set __reelay_command $word
                else
                    set -a __reelay_arguments $word
                end
        end
    end
end
function __reelay_at
    __reelay_words
    test "$__reelay_command" = $argv[1]; and test (count $__reelay_arguments) = $argv[2]
end
function __reelay_names
    __reelay_words
    set -l typed (commandline -ct | string replace -r '^--[a-z-]+=' '')
    reelay complete $argv[1] --of="$__reelay_arguments[1]" --begins="$typed" $__reelay_place 2>/dev/null </dev/null
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
