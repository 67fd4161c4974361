import { fields } from './fields.js';
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

/** True when `flag` stands among the options, with a value or without, before any `--`. */
export function hasFlag(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  return options.some((word) => word === flag || word.startsWith(`${flag}=`));
}

/** A word that can only be meant as fields after `--json`: several names, known ones among them. */
const someFields: ReadonlySet<string> = new Set(Object.values(fields).flat());

/**
 * The command line with every `--json` and its fields in one word, because the word after it is
 * nearly always an argument: `--json id,name` becomes `--json=id,name`, a bare `--json` becomes
 * `--json=`.
 */
export function separateJson(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const words = end < 0 ? [...argv] : argv.slice(0, end);
  for (let i = 0; i < words.length; i += 1) {
    if (words[i] !== '--json') continue;
    const next = words[i + 1] ?? '';
    const hasFields =
      /^[a-z_]+(,[a-z_]+)+$/.test(next) && next.split(',').some((name) => someFields.has(name));
    words.splice(i, hasFields ? 2 : 1, `--json=${hasFields ? next : ''}`);
  }
  return end < 0 ? words : [...words, ...argv.slice(end)];
}
