import { type Choice, type CompletedCommand } from './command-tree';
import { fish } from './fish-script';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Names are queried from the ledger when they are needed (`reelay complete`); everything else is in the script. A name
 * is data: it never passes through a shell expansion, and is offered with the shell's own quoting.
 */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  if (shell === 'fish') return fish(commands);
  return shell === 'bash' ? bash(commands) : zsh(commands);
}

/**
 * What bash and zsh share: which command it is, how many arguments it has so far, the first of them, and the flags that
 * locate the ledger; then what can follow.
 */
function body(
  commands: readonly CompletedCommand[],
  own: {
    /** The range of `words` before the current one. */
    from: number;
    to: string;
    /** Offers the commands. */
    names: string;
    offer: (choice: Choice) => string;
    /** Offers the words of `$flags`. */
    flags: string;
  },
): string {
  const { values, args, flags } = cases(commands, own.offer);
  return `  for ((i = ${String(own.from)}; i < ${own.to}; i++)); do
    word="\${words[i]}"
    if [[ -n $skip ]]; then
      case "$skip" in --home | --config) place+=("$skip=$word") ;; esac
      skip=""
      continue
    fi
    case "$word" in
    --sandbox | --home=* | --config=*) place+=("$word") ;;
    ${valued(commands)}) skip="$word" ;;
    -*) ;;
    *) if [[ -z $cmd ]]; then cmd="$word"; else
      if ((count == 0)); then first="$word"; fi
      count=$((count + 1))
    fi ;;
    esac
  done
  if [[ -z $cmd ]]; then
    ${own.names}
    return
  fi
  case "$cmd $prev" in
${values}
  esac
  if [[ $cur == -* ]]; then
    case "$cmd" in
${flags}
    esac
    ${own.flags}
    return
  fi
  case "$cmd $count" in
${args}
  esac`;
}

/** `case` patterns that bash and zsh share: the possible values of a flag, of an argument, and the flags of a command. */
function cases(
  commands: readonly CompletedCommand[],
  offer: (choice: Choice) => string,
): Record<'values' | 'args' | 'flags', string> {
  const values = commands.flatMap((command) =>
    command.flags.flatMap((flag) => {
      if (flag.value === null) return [];
      const names = [
        `"${command.name} --${flag.long}"`,
        ...(flag.short === null ? [] : [`"${command.name} -${flag.short}"`]),
      ];
      return [`    ${names.join(' | ')}) ${offer(flag.value)}; return ;;`];
    }),
  );
  const args = commands.flatMap((command) =>
    command.arguments.map((choice, index) => `    "${command.name} ${String(index)}") ${offer(choice)} ;;`),
  );
  const flags = commands.map(
    (command) => `    ${command.name}) flags="${command.flags.map((flag) => `--${flag.long}`).join(' ')}" ;;`,
  );
  return { values: values.join('\n'), args: args.join('\n'), flags: flags.join('\n') };
}

/** The flags with a value, for counting arguments: such a value isn't an argument. */
function valued(commands: readonly CompletedCommand[]): string {
  const flags = commands.flatMap((command) => command.flags.filter((flag) => flag.value !== null));
  const names = flags.flatMap((flag) => [`--${flag.long}`, ...(flag.short === null ? [] : [`-${flag.short}`])]);
  return [...new Set(names)].join(' | ');
}

const ASK = 'reelay complete "$1" --of="$first" --begins="$cur" "${place[@]}" 2>/dev/null </dev/null';

/** Bash splits words at : and =; the part after the last of them is completed, and \`lead\` is the part before it. */
function bash(commands: readonly CompletedCommand[]): string {
  const offer = (choice: Choice): string => {
    if (choice === 'file') return '_reelay_files';
    if (choice === 'other') return ':';
    return typeof choice === 'string' ? `_reelay_names ${choice}` : `_reelay_words "${choice.join(' ')}"`;
  };
  const names = `_reelay_words "${commands.map((command) => command.name).join(' ')} --help --version"`;
  return `# bash completion for reelay: source <(reelay completion bash)
_reelay_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_reelay_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}
_reelay_names() {
  local name
  while IFS= read -r name; do
    case "$cur" in
    [\\"\\']*) if [[ $name != *[^A-Za-z0-9\\ ._@%+=:,/·-]* ]]; then COMPREPLY+=("$name"); fi ;;
    *)
      printf -v name '%q' "$name"
      COMPREPLY+=("\${name#"$lead"}")
      ;;
    esac
  done < <(${ASK})
}
_reelay() {
  local cur prev cmd="" first="" word="" flags="" skip="" lead="" rest="$COMP_LINE" i count=0
  local -a words=() place=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((i > 0)) && [[ $rest != [[:space:]]* ]]; then words[\${#words[@]}-1]+="$word"; else words+=("$word"); fi
    rest="\${rest#"\${rest%%[![:space:]]*}"}"
    rest="\${rest#"$word"}"
  done
  cur="\${words[\${#words[@]}-1]}" prev="\${words[\${#words[@]}-2]}"
  if [[ $word != [=:] ]]; then lead="\${cur%"$word"}"; else lead="$cur"; fi
  if [[ $cur == --*=* ]]; then prev="\${cur%%=*}" cur="\${cur#*=}" lead="\${lead#*=}"; fi
${body(commands, { from: 1, to: '${#words[@]} - 1', names, offer, flags: '_reelay_words "$flags"' })}
}
complete -F _reelay reelay
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const offer = (choice: Choice): string => {
    if (choice === 'file') return '_files';
    if (choice === 'other') return ':';
    return typeof choice === 'string' ? `_reelay_names ${choice}` : `compadd -- ${choice.join(' ')}`;
  };
  const described = commands.map((command) => `    ${zshQuoted(`${command.name}:${command.summary}`)}`).join('\n');
  const names = `commands=(\n${described}\n    )\n    _describe command commands`;
  return `#compdef reelay
# zsh completion for reelay: source <(reelay completion zsh), after compinit
_reelay_names() {
  local -a names
  names=("\${(@f)$(${ASK})}")
  names=("\${names[@]:#}")
  compadd -a names
}
_reelay() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" cmd="" first="" word="" flags="" skip=""
  local -i i count=0
  local -a commands place
  if [[ $cur == --*=* ]]; then
    prev="\${cur%%=*}" cur="\${cur#*=}"
    compset -P '*='
  fi
${body(commands, { from: 2, to: 'CURRENT', names, offer, flags: 'compadd -- ${=flags}' })}
}
compdef _reelay reelay
`;
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
