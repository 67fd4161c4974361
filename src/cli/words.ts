import { globalOptions } from './globals.js';

/** Global options that take the next word as their value. */
const takesValue = Object.values(globalOptions)
  .filter(({ flags }) => flags.includes('<'))
  .flatMap(({ flags }) => flags.split(/[ ,]+/).filter((word) => word.startsWith('-')));

/** The words of a command line that can name a command: options before them are passed over. */
export function commandWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length && words.length < 2; i += 1) {
    const word = argv[i] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-')) words.push(word);
    else if (takesValue.includes(word)) i += 1;
  }
  return words;
}

/** True when `flag` stands among the options, before any `--`. */
export function hasFlag(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes(flag);
}
