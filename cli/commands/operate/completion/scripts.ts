import { type Choice, type CompletedCommand } from './command-tree';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Runs are asked of the ledger when they are needed; everything else stands in the script. The sandbox has a ledger of its own:
 * `sandbox` is what the shell makes of that flag where the line has it, else nothing.
 */
const runs = (sandbox: string): string => `reelay list --runs --limit 50 ${sandbox} 2>/dev/null | tail -n +2 | cut -f1`;
const RUNS = runs('$sandbox');
const FISH_RUNS = runs('(commandline -op | string match -- --sandbox)');

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  if (shell === 'fish') return fish(commands);
  return shell === 'bash' ? bash(commands) : zsh(commands);
}

/** What bash and zsh share: which command it is and how many arguments it has so far, then what may stand here. */
function body(
  commands: readonly CompletedCommand[],
  own: {
    /** The array of words, and from where to where the ones before this are. */
    words: string;
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
    word="\${${own.words}[i]}"
    if [[ -n $skip ]]; then
      [[ $word == "=" ]] || skip=""
      continue
    fi
    case "$word" in
    ${valued(commands)}) skip=1 ;;
    -*) ;;
    *) if [[ -z $cmd ]]; then cmd="$word"; else count=$((count + 1)); fi ;;
    esac
  done
  [[ " \${${own.words}[*]} " == *" --sandbox "* ]] && sandbox=--sandbox
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

/** `case` patterns that bash and zsh share: what a flag's value, an argument and the flags of a command may be. */
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

/** The flags with a value, for counting arguments: a value is none. */
function valued(commands: readonly CompletedCommand[]): string {
  const flags = commands.flatMap((command) => command.flags.filter((flag) => flag.value !== null));
  const names = flags.flatMap((flag) => [`--${flag.long}`, ...(flag.short === null ? [] : [`-${flag.short}`])]);
  return [...new Set(names)].join(' | ');
}

function bash(commands: readonly CompletedCommand[]): string {
  const offer = (choice: Choice): string => {
    if (choice === 'run') return `_reelay_words "$(${RUNS})"`;
    if (choice === 'file') return '_reelay_files';
    return choice === 'other' ? ':' : `_reelay_words "${choice.join(' ')}"`;
  };
  const names = `_reelay_words "${commands.map((command) => command.name).join(' ')} --help --version"`;
  return `# bash completion for reelay: source <(reelay completion bash)
_reelay_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_reelay_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}
_reelay() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" cmd="" word="" flags="" sandbox="" i count=0 skip=""
  COMPREPLY=()
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
${body(commands, { words: 'COMP_WORDS', from: 1, to: 'COMP_CWORD', names, offer, flags: '_reelay_words "$flags"' })}
}
complete -F _reelay reelay
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const offer = (choice: Choice): string => {
    if (choice === 'run') return `compadd -- \${(f)"$(${RUNS})"}`;
    if (choice === 'file') return '_files';
    return choice === 'other' ? ':' : `compadd -- ${choice.join(' ')}`;
  };
  const described = commands.map((command) => `    ${zshQuoted(`${command.name}:${command.summary}`)}`).join('\n');
  const names = `commands=(\n${described}\n    )\n    _describe command commands`;
  return `#compdef reelay
# zsh completion for reelay: source <(reelay completion zsh), after compinit
_reelay() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" cmd="" word="" flags="" sandbox="" skip=""
  local -i i count=0
  local -a commands
${body(commands, { words: 'words', from: 2, to: 'CURRENT', names, offer, flags: 'compadd -- \${=flags}' })}
}
compdef _reelay reelay
`;
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const offer = (choice: Choice): string => {
    if (choice === 'run') return `-x -a ${quoted(`(${FISH_RUNS})`)}`;
    if (choice === 'file') return '-r -F';
    return choice === 'other' ? '-x' : `-x -a ${quoted(choice.join(' '))}`;
  };
  const lines = commands.flatMap((command) => {
    const here = `complete -c reelay -n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`;
    const [first] = command.arguments;
    return [
      `complete -c reelay -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
      ...(first === undefined ? [`${here} -f`] : [first === 'file' ? `${here} -F` : `${here} ${offer(first)}`]),
      ...command.flags.map((flag) => {
        const short = flag.short === null ? '' : ` -s ${flag.short}`;
        const value = flag.value === null ? '' : ` ${offer(flag.value)}`;
        return `${here} -l ${flag.long}${short} -d ${quoted(flag.summary)}${value}`;
      }),
    ];
  });
  return `# fish completion for reelay: reelay completion fish > ~/.config/fish/completions/reelay.fish\n${lines.join('\n')}\n`;
}
