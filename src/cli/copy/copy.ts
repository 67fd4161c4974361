import type { ComputerFiles } from '../../client/files/files.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { printable } from '../../lib/text/printable.js';
import { errorLines, type Report, reportOf } from '../errors/report.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import type { Meter } from './meter.js';

/** State of one copy operation. */
export interface Copy {
  readonly context: Context;
  /** Begins messages, where there are several targets. */
  readonly computer?: string | undefined;
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
  const about = report.message.includes(what) ? report.message : `${what}: ${report.message}`;
  const message = `${owner(copy)}${about}`;
  if (copy.context.globals.json) return;
  await printLine(copy, `error: ${errorLines(message, report.remedy, copy.context.io.stderr)}`);
}

/** Prints and counts a file that is skipped on purpose. */
export async function skip(copy: Copy, what: string, why: string): Promise<void> {
  copy.skipped += 1;
  if (!copy.context.globals.quiet)
    await printLine(copy, printable(`${owner(copy)}skipped ${what}: ${why}`));
}

function owner({ computer }: Copy): string {
  return computer === undefined ? '' : `${computer}: `;
}

function printLine({ context }: Copy, line: string): Promise<void> {
  // Overwrites the spinner.
  const clear = context.io.stderr.isTTY ? '\r\u001b[K' : '';
  return write(context.io.stderr, `${clear}${line}\n`);
}

/** Small files are copied in parallel, because each costs some round trips. */
const CONCURRENCY = 6;

/** Runs tasks in parallel; the first failure is thrown to the caller. */
export class Pool {
  readonly #limit = new ConcurrencyLimit(CONCURRENCY);
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  /** Resolves when `task` has started. Throws if an earlier one failed. */
  async add(task: () => Promise<void>): Promise<void> {
    const release = await this.#limit.acquire();
    if (this.#failure) throw this.#failure.error;
    const running = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running.delete(running);
        release();
      });
    this.#running.add(running);
  }

  /** Resolves when all tasks have ended. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.error;
  }
}
