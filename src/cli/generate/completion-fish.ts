import type { Option } from '../define.js';
import { flagNames, type Outline, paths, takesValue, valueFlags } from './outline.js';

/** A path in a computer follows the colon. */
const RUNNING_WITH_COLON = "(vc __complete running-computer 2>/dev/null | string replace -r '$' :)";

/** Completion for fish. */
export function renderFish(outline: Outline): string {
  const { groups, singles, globals } = outline;
  const lines: string[] = [];
  const add = (condition: string, rest: string) =>
    lines.push(`complete -c vc -n ${quote(condition)} ${rest}`);
  for (const { name, summary } of [...groups, ...singles]) {
    add('__vc_at 0', `-f -a ${name} -d ${quote(summary)}`);
  }
  for (const option of globals) lines.push(`complete -c vc ${optionWords(option)}`);
  lines.push("complete -c vc -f -s h -l help -d 'show help'");
  for (const { names, commands } of groups) {
    for (const { name, summary } of commands) {
      add(`__vc_at 1 '${names.join('|')}'`, `-f -a ${name} -d ${quote(summary)}`);
    }
  }
  for (const { command, path } of paths(outline)) {
    const words = path.map((names) => `'${names.join('|')}'`).join(' ');
    for (const option of command.options) add(`__vc_in ${words}`, optionWords(option));
    command.arguments.forEach(({ choices, completes, variadic }, index) => {
      const place = `__vc_at ${variadic ? '+' : ''}${path.length + index} ${words}`;
      if (completes === 'file') add(place, '-F');
      else if (completes === 'place') add(place, `-F -a ${quote(RUNNING_WITH_COLON)}`);
      else if (completes) add(place, `-f -a '(vc __complete ${completes} 2>/dev/null)'`);
      else add(place, choices ? `-f -a ${quote(choices.join(' '))}` : '-f');
    });
  }
  return `# Completion of vc for fish; written by \`npm run generate\`.
# For good: vc completion fish > ~/.config/fish/completions/vc.fish

# The words before the cursor that are no options.
function __vc_words
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valueFlags(outline).join(' ')}
                set skip 1
            case '-*'
            case '*'
                printf '%s\\n' $word
        end
    end
end

# Do the words begin so? Each argument is a name with its aliases: 'rm|delete'.
function __vc_in
    set -l words (__vc_words)
    for i in (seq (count $argv))
        string match -qr "^($argv[$i])\\$" -- "$words[$i]"; or return 1
    end
end

# Do the words begin so, and are there so many of them (+N: at least so many)?
function __vc_at
    set -l count (count (__vc_words))
    if string match -q '+*' -- $argv[1]
        test $count -ge (string sub -s 2 -- $argv[1]); or return 1
    else
        test $count -eq $argv[1]; or return 1
    end
    test (count $argv) -eq 1; or __vc_in $argv[2..-1]
end

complete -c vc -f
${lines.join('\n')}
`;
}

/** \`-s b -l button -x -a 'left right' -d '…'\`. */
function optionWords(option: Option<unknown>): string {
  const names = flagNames(option).map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const isFile = /<(file|directory)>/.test(option.flags) && !option.flags.includes('cwd');
  const value = !takesValue(option) ? '-f' : isFile ? '-rF' : '-x';
  const choices = option.choices === undefined ? '' : ` -a ${quote(option.choices.join(' '))}`;
  return `${names.join(' ')} ${value}${choices} -d ${quote(option.summary)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
