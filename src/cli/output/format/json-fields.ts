import type { CommandDefinition } from '../../framework/define.js';
import { flagNames, takesValue } from '../../framework/flags.js';
import { globalOptions } from '../../framework/globals.js';
import { fields } from '../fields.js';

const FIELDS = /^[a-z_]+(,[a-z_]+)*$/i;

const anyField: readonly string[] = Object.values(fields).flat();
const isAnyField = (word: string) => anyField.includes(word);

/** Joins `--json id,name` to `--json=id,name`, also before the name of the command. */
export function joinFieldLists(argv: readonly string[]): string[] {
  return joinFields(argv, (word) => word.includes(',') && word.split(',').some(isAnyField));
}

/**
 * Joins every other `--json` with its fields, because the word after it may be an argument: `--json
 * name` becomes `--json=name`, and a bare `--json` becomes `--json=`. The word is taken for fields
 * if it is a field of the command or a list, or if the command takes no further argument; never if a
 * required argument would be missing. `path` is the number of words that name the command.
 */
export function joinJsonFields(
  argv: readonly string[],
  definition: CommandDefinition | undefined,
  path: number,
): string[] {
  const joined = joinFields(argv, (word, others) => {
    if (definition === undefined) return false;
    const known = definition.fields ?? [];
    if (word.includes(',') && known.length > 0) return true;
    const args = Object.values(definition.arguments);
    const count = countArguments(others, definition.options) - path;
    if (count < args.filter(({ required }) => required).length) return false;
    const isFull = count >= args.length && !args.some(({ variadic }) => variadic);
    return isFull || known.includes(word);
  });
  const end = joined.indexOf('--');
  return joined.map((word, i) => (word === '--json' && (end < 0 || i < end) ? '--json=' : word));
}

/** Joins `--json` with the next word if `areFields`, which also gets the other words. */
function joinFields(
  argv: readonly string[],
  areFields: (word: string, others: readonly string[]) => boolean,
): string[] {
  const words = [...argv];
  for (let i = 0; i < words.length && words[i] !== '--'; i += 1) {
    const next = words[i + 1] ?? '';
    if (words[i] !== '--json' || !FIELDS.test(next)) continue;
    const others = [...words.slice(0, i), ...words.slice(i + 2)];
    if (areFields(next, others)) words.splice(i, 2, `--json=${next}`);
  }
  return words;
}

/** The words that are neither options nor their values. */
function countArguments(words: readonly string[], options: CommandDefinition['options']): number {
  const withValue = [...Object.values(options), ...Object.values(globalOptions)]
    .filter(takesValue)
    .flatMap(flagNames);
  let count = 0;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    if (word === '--') return count + words.length - i - 1;
    if (!word.startsWith('-') || word === '-') count += 1;
    else if (withValue.includes(word)) i += 1;
  }
  return count;
}
