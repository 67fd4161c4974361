import type { ChalkInstance } from 'chalk';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { fitColumns, widest } from './layout.js';
import { relativeTime } from './relative-time.js';
import { printable } from './style.js';

/** A table column as data. */
export interface Column<Row> {
  readonly header: string;
  /** The cell as printed in a pipe: untruncated, times in RFC 3339. */
  value(row: Row): string;
  /** A time in RFC 3339; shown as relative time on a terminal. */
  readonly isTime?: true;
  /** Truncated on a narrow terminal. */
  readonly shrinks?: true;
  /** Dropped on a narrow terminal, the highest first. */
  readonly spare?: number;
  color?(text: string, chalk: ChalkInstance): string;
}

/** Prints rows on stdout: fitted to the terminal, or in a pipe separated by tabs. */
export async function printTable<Row>(
  context: Context,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const { stdout } = context.io;
  const lines = stdout.isTTY
    ? await terminalLines(context, columns, rows)
    : [
        columns.map(({ header }) => header),
        ...rows.map((row) => columns.map((c) => plain(c, row))),
      ].map((cells) => cells.join('\t'));
  await write(stdout, `${lines.join('\n')}\n`);
}

function plain<Row>(column: Column<Row>, row: Row): string {
  return printable(column.value(row));
}

async function terminalLines<Row>(
  context: Context,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<string[]> {
  const [{ default: Table }, chalk] = await Promise.all([
    import('cli-table3'),
    context.style('stdout'),
  ]);
  const now = context.now();
  const shown = (column: Column<Row>, row: Row) => {
    const text = plain(column, row);
    return column.isTime ? relativeTime(text, now) : text;
  };
  // Measure before adding colours.
  const cells = rows.map((row) => columns.map((column) => shown(column, row)));
  const wanted = columns.map((column, index) => ({
    ...column,
    index,
    width: widest([column.header, ...cells.map((row) => row[index] ?? '')]) + GAP,
  }));
  const fitted = fitColumns(wanted, (context.io.stdout.columns ?? 80) + GAP);
  const table = new Table({
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    colWidths: fitted.map(({ width }) => width),
    head: fitted.map(({ header }) => chalk.bold(header)),
  });
  for (const row of cells) {
    table.push(
      fitted.map(({ color, index }) => color?.(row[index] ?? '', chalk) ?? row[index] ?? ''),
    );
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

const GAP = 2;
const noBorders = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'],
    ...['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, '']),
);

/** Prints `name  value` lines on a terminal, tab-separated in a pipe. */
export async function printRecord(
  context: Context,
  fields: readonly (readonly [string, string])[],
): Promise<void> {
  const { stdout } = context.io;
  const chalk = await context.style('stdout');
  const width = Math.max(...fields.map(([name]) => name.length)) + GAP;
  const lines = fields.map(([name, value]) =>
    stdout.isTTY
      ? `${chalk.bold(name.padEnd(width))}${printable(value)}`
      : `${name}\t${printable(value)}`,
  );
  await write(stdout, `${lines.join('\n')}\n`);
}
