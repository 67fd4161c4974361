import { stripVTControlCharacters } from 'node:util';
import { sleep } from '../../../lib/async/sleep.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { flag, value } from '../../framework/define.js';
import { type Output, write } from '../../framework/io.js';
import { duration } from '../../input/duration.js';
import { displayWidth } from '../layout/fit-columns.js';
import { print, printJson } from '../print.js';
import { type Column, tableLines } from '../table.js';
import { untilInterrupted } from './until-interrupted.js';

const INTERVAL_SECONDS = 2;

export const watchOptions = {
  watch: flag('-w, --watch', 'show changes until Ctrl-C'),
  interval: value(
    '--interval <duration>',
    'time between two looks with --watch',
    duration({ unit: 's', min: '100ms', max: '1h' }),
    { otherwise: `${INTERVAL_SECONDS}s` },
  ),
};

/** Whether a list is watched, and how often it is read. Throws UsageError. */
export function intervalOf(options: {
  readonly watch: boolean;
  readonly interval: number | undefined;
}): number | undefined {
  const { watch, interval } = options;
  if (!watch && interval !== undefined) throw new UsageError('--interval is only for --watch');
  return watch ? (interval ?? INTERVAL_SECONDS) : undefined;
}

/** A list that is read again and again. */
export interface WatchedList<Row> {
  /** Must use the signal of the given context. */
  read(context: Context): Promise<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
  id(row: Row): string;
  /** What is shown while there are no rows. */
  readonly empty: string;
  /** What --json prints of a row; the row itself if left out. */
  document?(row: Row): unknown;
  /** What is printed of a row that is no longer there; nothing if left out. */
  gone?(row: Row): Row;
}

/**
 * Shows the list until Ctrl-C: on a terminal a table that is kept up to date; in a pipe, with --json
 * or -q each row when it is new or has changed.
 */
export async function watchList<Row>(
  context: Context,
  list: WatchedList<Row>,
  seconds: number,
): Promise<void> {
  const { json, quiet } = context.globals;
  const isTable = context.io.stdout.isTTY === true && !json && !quiet;
  const show = isTable ? tableOf(context, list) : changesOf(context, list);
  await untilInterrupted(context, async (inner) => {
    for (;;) {
      await show(await list.read(inner));
      await sleep(seconds * 1000, inner.interrupts.signal);
    }
  });
}

function tableOf<Row>(context: Context, { columns, empty }: WatchedList<Row>) {
  const screen = new Redraw(context.io.stdout);
  return async (rows: readonly Row[]) =>
    screen.show(rows.length === 0 ? [empty] : await tableLines(context, columns, rows));
}

function changesOf<Row>(
  context: Context,
  { columns, id, gone, document = (row) => row }: WatchedList<Row>,
) {
  const { globals, io } = context;
  const last = new Map<string, { readonly row: Row; readonly text: string }>();
  let hasHeader = globals.json || globals.quiet;
  return async (rows: readonly Row[]) => {
    const changed: Row[] = [];
    for (const row of rows) {
      const text = JSON.stringify(row);
      if (last.get(id(row))?.text !== text) changed.push(row);
      last.set(id(row), { row, text });
    }
    const present = new Set(rows.map(id));
    for (const [key, { row }] of last) {
      if (present.has(key)) continue;
      last.delete(key);
      if (gone !== undefined) changed.push(gone(row));
    }
    if (globals.json) for (const row of changed) await printJson(context, document(row));
    else if (globals.quiet) for (const row of changed) await print(context, id(row));
    else if (changed.length > 0 || !hasHeader) {
      const lines = await tableLines(context, columns, changed);
      await write(io.stdout, `${lines.slice(hasHeader ? 1 : 0).join('\n')}\n`);
      hasHeader = true;
    }
  };
}

/** Moves the cursor up, to the first column, and clears everything below. */
const back = (rows: number) => `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;

/** Lines on a terminal that are replaced by the next ones; the scrollback stays as it is. */
export class Redraw {
  readonly #output: Output;
  /** Rows of the terminal that the last lines take. */
  #rows = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  async show(lines: readonly string[]): Promise<void> {
    const { rows: height = 24, columns = 80 } = this.#output;
    const shown = visible(lines, height - 1, columns);
    const text = `${back(this.#rows)}${shown.map((line) => `${line}\n`).join('')}`;
    this.#rows = shown.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    await write(this.#output, text);
  }
}

/** As many lines as fit on the screen, where the cursor can go back to the first one. */
function visible(lines: readonly string[], height: number, columns: number): readonly string[] {
  const kept: string[] = [];
  let rows = 0;
  for (const [index, line] of lines.entries()) {
    rows += rowsOf(line, columns);
    const isLast = index === lines.length - 1;
    if (rows > height - (isLast ? 0 : 1)) return [...kept, `… and ${lines.length - index} more`];
    kept.push(line);
  }
  return kept;
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / columns));
}
