import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Menu } from './menu.js';

/** A heading; `hidden` ones are for screen readers only. */
type Column = string | { readonly text: string; readonly kind: 'number' | 'hidden' };

interface TableProps {
  readonly columns: readonly Column[];
  readonly class?: string;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** The heading of the column with the menus of the rows. */
export const ACTIONS: Column = { text: 'Actions', kind: 'hidden' };

/** From so many columns on, rows become cards in a window of medium width, not only in a narrow one. */
const WIDE = 7;

/** A table, whose rows are cards where there is too little room: each cell then has its heading. */
export function Table({ columns, class: kind, children }: TableProps) {
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    const texts = columns.map((column) => (typeof column === 'string' ? column : column.text));
    for (const { cells } of table.current?.tBodies[0]?.rows ?? []) {
      for (const [at, cell] of [...cells].entries()) cell.dataset.label = texts[at];
    }
  });
  return (
    <div class={columns.length < WIDE ? 'scroll' : 'scroll wide'}>
      <table class={kind} ref={table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={typeof column === 'string' ? column : column.text} of={column} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Heading({ of: column }: { of: Column }) {
  if (typeof column === 'string') return <th scope="col">{column}</th>;
  const { text, kind } = column;
  return (
    <th scope="col" class={kind === 'number' ? 'number' : undefined}>
      {kind === 'hidden' ? <span class="offscreen">{text}</span> : text}
    </th>
  );
}

/** The last cell of a row: a menu of what can be done with it, if the person may do it. */
export function RowActions({
  of: name,
  may,
  children,
}: {
  of: string;
  may: boolean;
  children: ComponentChildren;
}) {
  return (
    <td class="end">
      {may && (
        <Menu label={`Actions of ${name}`} icon="more">
          {children}
        </Menu>
      )}
    </td>
  );
}
