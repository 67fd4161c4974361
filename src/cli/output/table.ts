import type { ChalkInstance } from 'chalk';
import { printable } from '../../lib/text/printable.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { fitColumns, widest } from './layout/fit-columns.js';
import { ageAndTime, relativeTime } from './time/relative-time.js';

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
  /** Only with `-o wide`. */
  readonly wide?: true;
  color?(text: string, chalk: ChalkInstance): string;
}

/** Prints rows on stdout, with a header line. */
export async function printTable<Row>(
  context: Context,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const lines = await tableLines(context, columns, rows);
  await write(context.io.stdout, `${lines.join('\n')}\n`);
}

/**
 * The lines of a table: fitted to the terminal, or in a pipe separated by tabs. A table with `-o wide`
 * that the terminal is too narrow for has a block of lines for each row.
 */
export async function tableLines<Row>(
  context: Context,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<string[]> {
  const shown = columns.filter(({ wide }) => !wide || context.globals.wide);
  if (context.io.stdout.isTTY) return terminalLines(context, shown, rows);
  // A pipe has colours only where they were asked for.
  const chalk = context.env.FORCE_COLOR ? await context.style('stdout') : undefined;
  const cell = (column: Column<Row>, row: Row) => {
    const text = plain(column, row);
    return (chalk && column.color?.(text, chalk)) ?? text;
  };
  return [
    shown.map(({ header }) => chalk?.bold(header) ?? header).join('\t'),
    ...rows.map((row) => shown.map((column) => cell(column, row)).join('\t')),
  ];
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
  const total = (context.io.stdout.columns || 80) + GAP;
  const colored = ({ color, index }: (typeof wanted)[number], row: readonly string[]) =>
    color?.(row[index] ?? '', chalk) ?? row[index] ?? '';
  if (context.globals.wide && wanted.reduce((sum, { width }) => sum + width, 0) > total) {
    // All columns were asked for and do not fit: one line for each.
    const names = widest(wanted.map(({ header }) => header)) + GAP;
    const blocks = cells.map((row) =>
      wanted.map((column) => `${chalk.bold(column.header.padEnd(names))}${colored(column, row)}`),
    );
    return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
  }
  const fitted = fitColumns(wanted, total);
  const table = new Table({
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    colWidths: fitted.map(({ width }) => width),
    head: fitted.map(({ header }) => chalk.bold(header)),
  });
  for (const row of cells) {
    table.push(fitted.map((column) => colored(column, row)));
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

const GAP = 2;
const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

/** A line of a record: its name and its value, which may be a time in RFC 3339. */
export type RecordField = readonly [name: string, value: string, type?: 'time'];

/**
 * Prints `name  value` lines on a terminal, with times as `3 minutes ago (2026-11-22 11:03:07)`;
 * tab-separated and with times in RFC 3339 in a pipe.
 */
export async function printRecord(context: Context, fields: readonly RecordField[]): Promise<void> {
  const { stdout } = context.io;
  const now = context.now();
  const shown = ([, value, type]: RecordField) =>
    printable(type === 'time' && stdout.isTTY ? ageAndTime(value, now) : value);
  const chalk = await context.style('stdout');
  const width = Math.max(...fields.map(([name]) => name.length)) + GAP;
  const lines = fields.map((field) =>
    stdout.isTTY
      ? `${chalk.bold(field[0].padEnd(width))}${shown(field)}`
      : `${chalk.bold(field[0])}\t${shown(field)}`,
  );
  await write(stdout, `${lines.join('\n')}\n`);
}
