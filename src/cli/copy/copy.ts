import type { ComputerFiles } from '../../client/files.js';
import type { Context } from '../context.js';
import { explain } from '../explain.js';
import { write } from '../io.js';
import type { Report } from '../report.js';
import { printable } from '../style.js';
import type { Meter } from './meter.js';

/** What a copy works with. */
export interface Copy {
  readonly context: Context;
  /** As PROJECT/NAME or by its id. */
  readonly computer: string;
  readonly files: ComputerFiles;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  /** Failures of single files; the others are copied all the same. */
  readonly failures: Report[];
  /** Left out on purpose, each said. */
  skipped: number;
}

/** One file could not be copied: said at once, and counted. The rest goes on. */
export async function failed(copy: Copy, what: string, error: unknown): Promise<void> {
  if (copy.signal.aborted) throw error;
  const report = await explain(error, copy.context, copy.computer);
  copy.failures.push(report);
  const message = report.message.includes(what) ? report.message : `${what}: ${report.message}`;
  if (copy.context.globals.json) return;
  await say(copy, `error: ${message}`);
  if (report.hint !== undefined) await say(copy, `       ${report.hint}`);
}

/** Something was left out. */
export async function skip(copy: Copy, what: string, why: string): Promise<void> {
  copy.skipped += 1;
  if (!copy.context.globals.quiet) await say(copy, `left out ${what}: ${why}`);
}

function say({ context }: Copy, line: string): Promise<void> {
  // The spinner, if any, stands in this line.
  const clear = context.io.stderr.isTTY ? '\r\u001b[K' : '';
  return write(context.io.stderr, `${clear}${printable(line)}\n`);
}
