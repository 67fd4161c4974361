import { flagNames, takesValue } from './define.js';
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
