import { UsageError } from '../../errors/cli-error.js';
import type { Globals } from '../../framework/context.js';
import {
  type CommandDefinition,
  choice,
  type Option,
  oneOf,
  type Raw,
  value,
} from '../../framework/define.js';

const FORMATS = ['wide', 'json', 'yaml'] as const;

/** `-o` of commands that print a table. */
export const tableFormat = choice('-o, --output <format>', 'output format', FORMATS);
/** `-o` of commands that print one thing. */
export const recordFormat = choice('-o, --output <format>', 'output format', ['json', 'yaml']);
const formatOptions: readonly unknown[] = [tableFormat, recordFormat];

/**
 * The global options with the format of `-o`, if the command has that option: `-o json` is the same
 * as --json.
 * @throws UsageError if the format contradicts --json or --jq
 */
export function withFormat(
  globals: Globals,
  { options }: Pick<CommandDefinition, 'options'>,
  raw: Readonly<Record<string, Raw>>,
): Globals {
  const format = formatOptions.includes(options.output) ? raw.output : undefined;
  if (format === 'wide' && globals.json) {
    throw new UsageError('-o wide cannot be combined with --json or --jq');
  }
  if (format === 'yaml' && globals.jq !== undefined) {
    throw new UsageError('-o yaml cannot be combined with --jq', 'jq prints JSON');
  }
  if (format === 'wide') return { ...globals, wide: true };
  return format === 'json' || format === 'yaml' ? { ...globals, json: true, format } : globals;
}

/** What rows are compared by, for each field that `--sort` takes. */
export type SortKeys<Row> = Readonly<Record<string, (row: Row) => string | number>>;

/** Puts rows into an order. */
export type Sort<Row> = (rows: readonly Row[]) => Row[];

/** `--sort FIELD`, or `-FIELD` for the opposite order. Rows stay as they are if it is not given. */
export function sortOption<Row>(keys: SortKeys<Row>): Option<Sort<Row> | undefined> {
  const names = Object.keys(keys);
  const parse = (text: string): Sort<Row> => {
    const isReversed = text.startsWith('-');
    const key = keys[oneOf(names)(isReversed ? text.slice(1) : text)];
    return (rows) => {
      const sorted = [...rows].sort((a, b) => (key ? compare(key(a), key(b)) : 0));
      return isReversed ? sorted.reverse() : sorted;
    };
  };
  return {
    ...value('--sort <field>', 'order; -FIELD reverses it', parse),
    choices: names,
  };
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}
