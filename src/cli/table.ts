import type { ChalkInstance } from 'chalk';
import type { Context } from './context.js';
import { write } from './io.js';
import { fitColumns, widest } from './layout.js';
import { printable } from './style.js';
import { relativeTime } from './time.js';

/** A column: its header, what stands in it, and how a terminal shows that. */
export interface Column<Row> {
  readonly header: string;
  /** As a script gets it: untruncated, times in RFC 3339. */
  value(row: Row): string;
  /** A time in RFC 3339, shown to a person as the time that has passed. */
  readonly isTime?: true;
  /** May be cut short where the terminal is narrow. */
  readonly shrinks?: true;
  /** Left out where the terminal is narrow, the highest first. */
  readonly spare?: number;
  color?(text: string, chalk: ChalkInstance): string;
}

/**
 * Rows on stdout: fitted to the terminal with colours, or, in a pipe, separated by tabs, which no
 * name can have.
 */
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
  // Measured before coloured: the widths are those of the bare text.
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

/** A record as `name  value` lines on a terminal, tab-separated in a pipe. */
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
