import type { Element, Elements } from '../../contract/types/index.js';
import type { Context } from '../framework/context.js';
import { value } from '../framework/define.js';
import { number } from '../input/parse.js';
import { printList } from '../output/list.js';
import { note } from '../output/print.js';
import type { Column } from '../output/table.js';

export const limitOption = value(
  '--limit <n>',
  'most elements, 1 to 1000 (default: 250)',
  number({ min: 1, max: 1000, unit: 'elements' }),
);

const columns: readonly Column<Element>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'ROLE', value: ({ role }) => role },
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'VALUE', value: ({ value = '' }) => value.split('\n')[0] ?? '', spare: 2 },
  { header: 'STATES', value: ({ states }) => states.join(','), spare: 3 },
  { header: 'BOX', value: ({ box }) => box.join(','), spare: 1 },
  { header: 'ACTIONS', value: ({ actions }) => actions.join(','), wide: true },
];

/** Prints elements as a table or as JSON. */
export async function printElements(
  context: Context,
  { elements, truncated }: Elements,
  empty: string,
): Promise<void> {
  await printList(context, {
    document: { elements, truncated },
    rows: elements,
    columns,
    empty: truncated ? 'nothing was found in time; try again' : empty,
    id: ({ id }) => id,
  });
  if (truncated && elements.length > 0 && !context.globals.json) {
    await note(context, 'there are more elements; see --limit');
  }
}
