import type { Context } from '../framework/context.js';
import { note, print, printJson } from './print.js';
import { type Column, printTable } from './table.js';

/** A list in each form in which it can be printed. */
export interface List<Row> {
  /** The answer of the service, for --json. */
  readonly document: unknown;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What -q prints of a row. */
  id(row: Row): string;
  /** The line for a list without rows: that there are none, and how to get one. */
  readonly empty: string;
}

/** Prints a list as a table, as JSON or YAML, or with -q only its ids. */
export async function printList<Row>(context: Context, list: List<Row>): Promise<void> {
  const { json, quiet } = context.globals;
  if (json) await printJson(context, list.document);
  else if (quiet) for (const id of new Set(list.rows.map(list.id))) await print(context, id);
  else if (list.rows.length > 0) await printTable(context, list.columns, list.rows);
  else await note(context, list.empty);
}
