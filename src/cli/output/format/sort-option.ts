import { type Option, oneOf, value } from '../../framework/define.js';

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
