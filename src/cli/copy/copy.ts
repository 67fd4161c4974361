import type { ComputerFiles } from '../../client/files/files.js';
import { printable } from '../../lib/text/printable.js';
import { errorLines, type Report, reportOf } from '../errors/report.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import type { Meter } from './meter.js';

/** State of one copy operation. */
export interface Copy {
  readonly context: Context;
  readonly files: ComputerFiles;
  /** Throws if the computer does not exist. */
  findComputer(): Promise<unknown>;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  /** Failures of single files; they do not end the copy. */
  readonly failures: Report[];
  /** Number of files skipped on purpose. */
  skipped: number;
}

/** Prints and records the failure of one file. Throws if the copy was interrupted. */
export async function failed(copy: Copy, what: string, error: unknown): Promise<void> {
  if (copy.signal.aborted) throw error;
  const report = reportOf(error);
  copy.failures.push(report);
  const message = report.message.includes(what) ? report.message : `${what}: ${report.message}`;
  if (copy.context.globals.json) return;
  await printLine(copy, `error: ${errorLines(message, report.remedy, copy.context.io.stderr)}`);
}

/** Prints and counts a file that is skipped on purpose. */
export async function skip(copy: Copy, what: string, why: string): Promise<void> {
  copy.skipped += 1;
  if (!copy.context.globals.quiet) await printLine(copy, printable(`skipped ${what}: ${why}`));
}

function printLine({ context }: Copy, line: string): Promise<void> {
  // Overwrites the spinner.
  const clear = context.io.stderr.isTTY ? '\r\u001b[K' : '';
  return write(context.io.stderr, `${clear}${line}\n`);
}
