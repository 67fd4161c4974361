import type { Argument, Option } from '../define.js';
import { flagNames, type Outline, paths, takesValue, valueFlags } from './outline.js';

/** Completion for bash 4 and later. */
export function renderBash(outline: Outline): string {
  const { groups, singles, globals } = outline;
  const top = [...groups, ...singles].map(({ name }) => name).join(' ');
  const commands = paths(outline).map(({ command, path }) => {
    const depth = path.length;
    const options = [...command.options, ...globals];
    return [
      `    ${patterns(path)})`,
      `      options='${[...options.flatMap(flagNames), '--help'].join(' ')}'`,
      ...choiceCases(options),
      ...argumentCases(command.arguments, depth),
      '      ;;',
    ].join('\n');
  });
  const groupCases = groups.map(
    ({ names, commands: verbs }) =>
      `    ${names.map((name) => `'${name}'`).join('|')}) options='--help'; ` +
      `[[ $count -eq 1 ]] && words='${verbs.map(({ name }) => name).join(' ')}' ;;`,
  );
  return `# Completion of vc for bash; written by \`npm run generate\`.
# For this shell: source <(vc completion bash)

# Names of the service that begin like $current, with $2 behind them. They are data, one a line:
# compgen -W would run what stands in them.
_vc_names() {
  local name typed=\${current//\\\\/}
  typed=\${typed#[\\"\\']}
  while IFS= read -r name; do
    [[ -n $name && $name == "$typed"* ]] && COMPREPLY+=("$(printf '%q' "$name$2")")
  done < <(vc __complete "$1" 2>/dev/null)
}

_vc() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local -a given=()
  local i word count words='' options='--help --version' kind='' dashes=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
    --) dashes=yes; break ;;
    ${valueFlags(outline).join('|')}) ((i++)) ;;
    -*) ;;
    *) given+=("$word") ;;
    esac
  done
  count=\${#given[@]}
  COMPREPLY=()
  [[ -n $dashes ]] && return
  case "\${given[0]}" in
    '') options='${[...globals.flatMap(flagNames), '--help', '--version'].join(' ')}'; words='${top}' ;;
${groupCases.join('\n')}
  esac
  case "\${given[0]} \${given[1]}" in
${commands.join('\n')}
  esac
  if [[ $current == -* ]]; then
    words=$options
  elif [[ $kind == file ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    return
  elif [[ $kind == place ]]; then
    # What follows the colon, for bash a word of its own, is a path in the computer.
    [[ $current == : || $previous == : ]] && return
    while IFS= read -r word; do
      COMPREPLY+=("$(printf '%q' "$word")")
    done < <(compgen -f -- "$current")
    _vc_names running-computer :
    [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *: ]] && compopt -o nospace
    return
  elif [[ -n $kind ]]; then
    _vc_names "$kind"
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -F _vc vc
`;
}

/** \`'computer click'|'computers click'\`; a command of one word is followed by anything. */
function patterns([first = [], second]: readonly (readonly string[])[]): string {
  if (second === undefined) return first.map((name) => `'${name} '*`).join('|');
  return first.flatMap((noun) => second.map((verb) => `'${noun} ${verb}'`)).join('|');
}

/** The values of an option that was just written. */
function choiceCases(options: readonly Option<unknown>[]): string[] {
  const withValue = options.filter(takesValue).map((option) => {
    const values = option.choices?.join(' ') ?? '';
    const isFile = /<(file|directory)>/.test(option.flags) && !option.flags.includes('cwd');
    return `      ${flagNames(option).join('|')}) words='${values}'; kind=${isFile ? 'file' : "''"}; options='' ;;`;
  });
  return withValue.length === 0
    ? []
    : [
        '      case $previous in',
        ...withValue.map((line) => `  ${line}`),
        '      *)',
        '        :',
      ].concat(['        ;;', '      esac']);
}

/** What stands at each place, when the word before is no option that takes it. */
function argumentCases(args: readonly Argument<unknown>[], depth: number): string[] {
  return args.flatMap(({ choices, completes, variadic }, index) => {
    if (choices === undefined && completes === undefined) return [];
    const test = `$count -${variadic ? 'ge' : 'eq'} ${depth + index}`;
    const set = completes === undefined ? `words='${choices?.join(' ')}'` : `kind=${completes}`;
    return [`      [[ ${test} && -n $options ]] && ${set}`];
  });
}
