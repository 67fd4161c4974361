import { fields } from '../output/fields.js';
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

/** Known field names: they tell a list of fields after `--json` from an argument. */
const someFields: ReadonlySet<string> = new Set(Object.values(fields).flat());

/**
 * Joins every `--json` with its fields, because the word after it is usually an argument:
 * `--json id,name` becomes `--json=id,name`, and a bare `--json` becomes `--json=`.
 */
export function joinJsonFields(argv: readonly string[]): string[] {
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
