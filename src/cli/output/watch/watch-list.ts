import { sleep } from '../../../lib/async/sleep.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { flag, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { duration } from '../../input/duration.js';
import { print, printJson } from '../print.js';
import { type Column, tableLines } from '../table.js';
import { Redraw } from './redraw.js';
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
