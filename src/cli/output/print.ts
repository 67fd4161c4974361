import { printable, printableJson } from '../../lib/text/printable.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { runJq, selectFields } from './json.js';
import { fold, textColumns } from './layout/fold.js';

/**
 * Prints JSON on stdout after --json=FIELDS and --jq: on one line in a pipe, else indented. With
 * `-o yaml` it prints YAML.
 */
export async function printJson({ io, globals }: Context, document: unknown): Promise<void> {
  const { fields, jq, format } = globals;
  const chosen = fields === undefined ? document : selectFields(document, fields);
  if (format === 'yaml') {
    const { toYaml } = await import('./format/yaml.js');
    return write(io.stdout, toYaml(chosen));
  }
  if (jq === undefined) {
    const text = io.stdout.isTTY
      ? printableJson(JSON.stringify(chosen, null, 2))
      : JSON.stringify(chosen);
    return write(io.stdout, `${text}\n`);
  }
  const text = await runJq(chosen, jq);
  const shown = io.stdout.isTTY ? text.replaceAll(/[^\n\t]+/g, printable) : text;
  if (text !== '') await write(io.stdout, `${shown.replace(/\n$/, '')}\n`);
}

/** Prints JSON on one line of stdout. */
export function printJsonLine({ io }: Context, document: unknown): Promise<void> {
  const text = JSON.stringify(document);
  return write(io.stdout, `${io.stdout.isTTY ? printableJson(text) : text}\n`);
}

/** Prints a line of data on stdout, with its characters unchanged if that is not a terminal. */
export function print({ io }: Context, line: string): Promise<void> {
  return write(io.stdout, `${io.stdout.isTTY ? printable(line) : line}\n`);
}

/** Prints a message on stderr, except with --json or --quiet. */
export async function note({ io, globals }: Context, line: string): Promise<void> {
  if (globals.json || globals.quiet) return;
  await write(io.stderr, `${fold(printable(line), textColumns(io.stderr)).join('\n')}\n`);
}

/** Prints a message of success on stderr, except with --json or --quiet. */
export async function done(context: Context, line: string): Promise<void> {
  const { io, globals } = context;
  if (globals.json || globals.quiet) return;
  const mark = io.stderr.isTTY ? `${(await context.style('stderr')).green('✓')} ` : '';
  const lines = fold(printable(line), textColumns(io.stderr) - (mark === '' ? 0 : 2));
  await write(io.stderr, `${mark}${lines.join('\n')}\n`);
}
