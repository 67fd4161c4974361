import type { Argument, Option } from '../define.js';
import { flagNames, type Outline, paths, takesValue, valueFlags } from './outline.js';

interface Described {
  readonly name: string;
  readonly summary: string;
}

/** Completion for zsh, as an autoloaded function. */
export function renderZsh(outline: Outline): string {
  const { groups, singles, globals } = outline;
  const commands = paths(outline).map(({ command, path }) => {
    const options = [...command.options, ...globals];
    return [
      `    ${patterns(path)})`,
      `      options=(${describe([...options.flatMap(entries), helpEntry])})`,
      ...valueCases(options),
      ...argumentCases(command.arguments, path.length),
      '      ;;',
    ].join('\n');
  });
  const groupCases = groups.map(
    ({ names, commands: verbs }) =>
      `    ${names.join('|')}) options=(${describe([helpEntry])}); ` +
      `(( count == 1 )) && candidates=(${describe(verbs)}) ;;`,
  );
  return `#compdef vc
# Completion of vc for zsh; written by \`npm run generate\`.
# For good: vc completion zsh > "$fpath[1]/_vc"

_vc() {
  local -a given candidates options
  local i word kind='' previous=\${words[CURRENT-1]} current=\${words[CURRENT]}
  local -i count value=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case $word in
    --) _files; return ;;
    ${valueFlags(outline).join('|')}) ((i++)) ;;
    -*) ;;
    *) given+=("$word") ;;
    esac
  done
  count=$#given
  case "$given[1]" in
    '') options=(${describe([...globals.flatMap(entries), helpEntry])})
      candidates=(${describe([...groups, ...singles])}) ;;
${groupCases.join('\n')}
  esac
  case "$given[1] $given[2]" in
${commands.join('\n')}
  esac
  if (( ! value )) && [[ $current == -* ]]; then
    _describe -o option options
  elif [[ $kind == file ]]; then
    _files
  elif [[ $kind == place ]]; then
    # What follows a colon is a path in the computer.
    [[ $current == *:* ]] && return
    local -a found=("\${(@f)$(vc __complete running-computer 2>/dev/null)}")
    compadd -S : -- "\${(@)found:#}"
    _files
  elif [[ -n $kind ]]; then
    local -a found=("\${(@f)$(vc __complete $kind 2>/dev/null)}")
    compadd -- "\${(@)found:#}"
  else
    _describe command candidates
  fi
}

if [[ $funcstack[1] == _vc ]]; then _vc "$@"; else compdef _vc vc; fi
`;
}

const helpEntry: Described = { name: '--help', summary: 'show help' };

function entries(option: Option<unknown>): Described[] {
  return flagNames(option).map((name) => ({ name, summary: option.summary }));
}

/** \`'name:summary'\` words; a colon in either would end it. */
function describe(described: readonly Described[]): string {
  return described
    .map(({ name, summary }) => `${name.replaceAll(':', '\\:')}:${summary.replaceAll(':', '\\:')}`)
    .map((text) => `'${text.replaceAll("'", "'\\''")}'`)
    .join(' ');
}

function patterns([first = [], second]: readonly (readonly string[])[]): string {
  if (second === undefined) return first.map((name) => `'${name} '*`).join('|');
  return first.flatMap((noun) => second.map((verb) => `'${noun} ${verb}'`)).join('|');
}

function valueCases(options: readonly Option<unknown>[]): string[] {
  const withValue = options.filter(takesValue);
  if (withValue.length === 0) return [];
  const lines = withValue.map((option) => {
    const isFile = /<(file|directory)>/.test(option.flags) && !option.flags.includes('cwd');
    const values = option.choices?.map((choice) => `'${choice}'`).join(' ') ?? '';
    return `      ${flagNames(option).join('|')}) value=1; candidates=(${values}); kind=${isFile ? 'file' : "''"} ;;`;
  });
  return ['      case $previous in', ...lines, '      esac'];
}

function argumentCases(args: readonly Argument<unknown>[], depth: number): string[] {
  return args.flatMap(({ choices, completes, variadic }, index) => {
    if (choices === undefined && completes === undefined) return [];
    const test = `! value && count ${variadic ? '>=' : '=='} ${depth + index}`;
    const set =
      completes === undefined ? `candidates=(${choices?.join(' ')})` : `kind=${completes}`;
    return [`      (( ${test} )) && ${set}`];
  });
}
