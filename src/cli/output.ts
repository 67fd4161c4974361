import type { Context } from './context.js';
import { write } from './io.js';
import { printable } from './style.js';

/** One JSON document on stdout: on one line in a pipe, indented on a terminal. */
export function printJson({ io }: Context, document: unknown): Promise<void> {
  return write(io.stdout, `${JSON.stringify(document, null, io.stdout.isTTY ? 2 : 0)}\n`);
}

/** A line of data on stdout. */
export function print({ io }: Context, line: string): Promise<void> {
  return write(io.stdout, `${line}\n`);
}

/** A line for a person on stderr; nothing with --json or --quiet. */
export async function note({ io, globals }: Context, line: string): Promise<void> {
  if (!globals.json && !globals.quiet) await write(io.stderr, `${printable(line)}\n`);
}

/** A line for a person that says that something was done. */
export async function done(context: Context, line: string): Promise<void> {
  const { io, globals } = context;
  if (globals.json || globals.quiet) return;
  const mark = io.stderr.isTTY ? `${(await context.style('stderr')).green('✓')} ` : '';
  await write(io.stderr, `${mark}${printable(line)}\n`);
}
