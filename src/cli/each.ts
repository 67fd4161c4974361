import { worstExitCode } from './address.js';
import type { Context } from './context.js';
import { InterruptedError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { explain } from './explain.js';
import { write } from './io.js';
import { done, printJson } from './output.js';
import type { Report } from './report.js';
import { printable } from './style.js';

/** Work on several things at once that is the same for each. */
export interface Each<T> {
  readonly names: readonly string[];
  /** What the names name, where an error's advice depends on it. */
  readonly kind?: 'computer';
  /** What is shown while it goes on. */
  readonly doing: string;
  work(name: string): Promise<T>;
  /** The line that says that it worked. */
  did(name: string, answer: T): string;
}

const AT_ONCE = 8;

/**
 * Works on all names in parallel, says each result when it is there, and resolves to the worst exit
 * code. With --json: of one name the service's answer itself, of several a list of
 * `{name, answer}` or `{name, error}` in the order given.
 */
export async function forEach<T>(context: Context, each: Each<T>): Promise<number> {
  const { globals, interrupts } = context;
  const names = [...new Set(each.names)];
  if (names.length === 1) return forOne(context, each, names[0] ?? '');
  const progress = context.progress(each.doing);
  const results: Result<T>[] = [];
  const queue = names.map((name, index) => ({ name, index }));
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name, index } = next;
      try {
        const answer = await each.work(name);
        results[index] = { name, answer };
        progress.stop();
        await done(context, each.did(name, answer));
      } catch (error) {
        if (interrupts.signal.aborted) throw new InterruptedError();
        const report = await explain(error, context, each.kind === 'computer' ? name : undefined);
        results[index] = { name, error: report };
        progress.stop();
        if (!globals.json) await writeFailure(context, name, report);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    progress.stop();
  }
  if (globals.json) await printJson(context, results.map(document));
  return worstExitCode(results.map((result) => result.error?.exitCode ?? ExitCode.ok));
}

interface Result<T> {
  readonly name: string;
  readonly answer?: T;
  readonly error?: Report;
}

async function forOne<T>(context: Context, each: Each<T>, name: string): Promise<number> {
  const progress = context.progress(each.doing);
  try {
    const answer = await each.work(name);
    progress.stop();
    if (context.globals.json) await printJson(context, answer);
    else await done(context, each.did(name, answer));
  } finally {
    progress.stop();
  }
  return ExitCode.ok;
}

async function writeFailure({ io }: Context, name: string, report: Report): Promise<void> {
  const { message, hint } = report;
  const next = hint === undefined ? '' : `\n       ${printable(hint)}`;
  await write(io.stderr, `error: ${printable(`${name}: ${message}`)}${next}\n`);
}

function document<T>({ name, answer, error }: Result<T>): unknown {
  if (error === undefined) return { name, answer };
  return { name, error: { code: error.code, message: error.message, hint: error.hint } };
}
