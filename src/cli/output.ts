import type { Context } from './context.js';
import { write } from './io.js';
import { runJq, selectFields } from './json.js';
import { printable } from './style.js';

/**
 * The JSON document on stdout, with the fields that the user chose and through the user's jq: on
 * one line in a pipe, indented on a terminal.
 */
export async function printJson({ io, globals }: Context, document: unknown): Promise<void> {
  const { fields, jq } = globals;
  const chosen = fields === undefined ? document : selectFields(document, fields);
  if (jq === undefined) {
    const text = JSON.stringify(chosen, null, io.stdout.isTTY ? 2 : 0);
    return write(io.stdout, `${text}\n`);
  }
  const text = await runJq(chosen, jq);
  if (text !== '') await write(io.stdout, `${text.replace(/\n$/, '')}\n`);
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
