import type { CommandDefinition } from './define.js';
import { flagNames, takesValue } from './flags.js';
import { globalOptions } from './globals.js';

/** Global options whose value is the next word. */
const valueFlags = Object.values(globalOptions).filter(takesValue).flatMap(flagNames);

/** The first two words that are not options: they may name a command. */
export function commandPath(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length && words.length < 2; i += 1) {
    const word = argv[i] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-')) words.push(word);
    else if (valueFlags.includes(word)) i += 1;
  }
  return words;
}

/** Without `--help` and `-h` before any `--`. */
export function withoutHelp(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.filter((word, i) => (end >= 0 && i > end) || !['--help', '-h'].includes(word));
}

/** True if `flag` is given before any `--`, with or without a value. */
export function hasFlag(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  return options.some((word) => word === flag || word.startsWith(`${flag}=`));
}

/**
 * With `--` before the program of `exec`, so that all words behind it belong to the program, as in
 * `docker exec`; unless there is one already. `path` is the number of words that name the command.
 */
export function withProgramApart(
  argv: readonly string[],
  definition: CommandDefinition | undefined,
  path: number,
): readonly string[] {
  const args = Object.values(definition?.arguments ?? {});
  if (!definition?.runsProgram || args.at(-1)?.variadic !== true) return argv;
  const own = Object.values(definition.options).filter(takesValue).flatMap(flagNames);
  let before = path + args.length - 1;
  let isSelecting = false;
  for (let i = 0; i < argv.length && argv[i] !== '--'; i += 1) {
    const word = argv[i] ?? '';
    if (!isSelecting && own.includes('--label') && /^(-l|--label(=|$)|--all$)/.test(word)) {
      // After the computer it is an option of a program that is missing.
      if (before === 0) return [...argv.slice(0, i), '--', ...argv.slice(i)];
      // A selection is in place of the computer.
      before -= 1;
      isSelecting = true;
    }
    if (valueFlags.includes(word) || own.includes(word)) i += 1;
    else if (!word.startsWith('-') && before === 0) {
      return [...argv.slice(0, i), '--', ...argv.slice(i)];
    } else if (!word.startsWith('-')) before -= 1;
  }
  return argv;
}

/** The same for a command whose words, options included, are those of another program. */
export function withWordsApart(argv: readonly string[], path: number): readonly string[] {
  let before = path;
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? '';
    if (word === '--') return argv;
    const isOwn = word.startsWith('--') || word === '-h';
    if (before === 0 && !isOwn) return [...argv.slice(0, i), '--', ...argv.slice(i)];
    if (valueFlags.includes(word)) i += 1;
    else if (!word.startsWith('-')) before -= 1;
  }
  return argv;
}
