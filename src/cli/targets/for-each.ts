import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { InterruptedError } from '../errors/cli-error.js';
import { ExitCode, failureCode } from '../errors/exit-codes.js';
import { errorLines, type Report, reportDocument, reportOf } from '../errors/report.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { done, printJson } from '../output/print.js';
import { during, type Progress, silentProgress } from '../output/progress.js';
import { worstExitCode } from './computer-address.js';

/** The same operation on one or more named things. */
export interface ForEach<T> {
  readonly names: readonly string[];
  /** Prints a list with --json for one name as well. */
  readonly asList?: boolean | undefined;
  /** Text of the spinner; there is none if the work itself prints. */
  readonly doing?: string;
  /** Names that are worked on at the same time; 8 by default. */
  readonly concurrency?: number;
  work(name: string): Promise<T>;
  /** The line to print when the operation has succeeded. */
  did(name: string, answer: T): string;
  /** Prints an answer in place of that line. */
  show?(name: string, answer: T): Promise<void>;
  /** The exit code of a program that was run. */
  exitCode?(answer: T): number;
}

const CONCURRENCY = 8;

/**
 * Runs the operation on all names, a few at a time, prints each result as it arrives and resolves
 * to the highest exit code. With --json it prints the answer for one name, or a list of
 * `{name, answer}` or `{name, error}` in the given order for several.
 */
export async function forEach<T>(context: Context, options: ForEach<T>): Promise<number> {
  const { globals, interrupts } = context;
  const names = [...new Set(options.names)];
  if (names.length === 1 && !options.asList) return forOne(context, options, names[0] ?? '');
  const progress = progressOf(context, options);
  const limit = new ConcurrencyLimit(options.concurrency ?? CONCURRENCY);
  const work = async (name: string): Promise<Result<T>> => {
    try {
      const answer = await options.work(name);
      progress.stop();
      if (options.show === undefined) await done(context, options.did(name, answer));
      else if (!globals.json) await options.show(name, answer);
      return { name, answer };
    } catch (error) {
      if (interrupts.signal.aborted) throw new InterruptedError();
      const report = reportOf(error, context.env);
      progress.stop();
      const lines = errorLines(`${name}: ${report.message}`, report.remedy, context.io.stderr);
      if (!globals.json) await write(context.io.stderr, `error: ${lines}\n`);
      return { name, error: report };
    }
  };
  const all = names.map((name) => limit.run(() => work(name)));
  const results = await during(progress, Promise.all(all));
  if (globals.json) await printJson(context, results.map(resultDocument));
  return exitCodeOf(options, results);
}

function exitCodeOf<T>({ exitCode }: ForEach<T>, results: readonly Result<T>[]): number {
  if (exitCode === undefined) {
    return worstExitCode(results.map(({ error }) => error?.exitCode ?? ExitCode.ok));
  }
  const codes = results.map(({ answer, error }) => {
    if (error !== undefined) return failureCode(error.exitCode, { runsProgram: true });
    return answer === undefined ? ExitCode.ok : exitCode(answer);
  });
  return worstExitCode(codes);
}

function progressOf(context: Context, { doing }: Pick<ForEach<unknown>, 'doing'>): Progress {
  return doing === undefined ? silentProgress : context.progress(doing);
}

interface Result<T> {
  readonly name: string;
  readonly answer?: T;
  readonly error?: Report;
}

async function forOne<T>(context: Context, options: ForEach<T>, name: string): Promise<number> {
  const answer = await during(progressOf(context, options), options.work(name));
  if (context.globals.json) await printJson(context, answer);
  else if (options.show !== undefined) await options.show(name, answer);
  else await done(context, options.did(name, answer));
  return ExitCode.ok;
}

function resultDocument<T>({ name, answer, error }: Result<T>): unknown {
  if (error === undefined) return { name, answer };
  const { code, message, hint } = reportDocument(error);
  return { name, error: { code, message, hint } };
}
