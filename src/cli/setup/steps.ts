import type { SetupStep } from '../../engines/descriptor.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { note } from '../output/print.js';

/** Runs a step with `run`; throws what to do if it fails. */
export async function must(
  step: SetupStep,
  run: (step: SetupStep) => Promise<boolean>,
  command = 'vc setup',
): Promise<void> {
  if (await run(step)) return;
  throw new CliError(`this failed: ${commandLine(step.argv)}`, {
    remedy: `see its output above; fix that and run ${command} again`,
  });
}

/** Runs a step with its output on our stderr: stdout is for data. */
export async function runAsRoot(
  context: Context,
  { title, argv }: SetupStep,
  prefix: readonly string[],
): Promise<boolean> {
  const { execa } = await import('execa');
  await note(context, `${title}…`);
  const [file = '', ...args] = [...prefix, ...argv];
  if (file === '') throw new UsageError('nothing to run');
  const result = await execa(file, args, {
    stdin: 'inherit',
    stdout: 2,
    stderr: 2,
    reject: false,
    cancelSignal: context.interrupts.signal,
  });
  return result.exitCode === 0;
}

/** For reading, and for a shell: words with blanks are quoted. */
export function commandLine(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
