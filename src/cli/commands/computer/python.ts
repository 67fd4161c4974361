import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { onComputer, runningComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { defineCommand, optional, value } from '../../define.js';
import { CliError, UsageError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { cannotRead } from '../../file-errors.js';
import { readAll } from '../../input.js';
import { write } from '../../io.js';
import { printJson } from '../../output.js';
import { nonEmpty, number, text } from '../../parse.js';
import { during } from '../../progress.js';

export const command = defineCommand({
  name: 'python',
  summary: 'Run Python 3 code and print what it printed',
  arguments: {
    computer: runningComputer,
    script: optional('script', 'a file of this machine, or - for stdin', nonEmpty, {
      completes: 'file',
    }),
  },
  options: {
    code: value('-c, --code <code>', 'code to run instead of a file', text),
    timeout: value(
      '--timeout <seconds>',
      'end it after so long: 1 to 300',
      number({ min: 1, max: 300, unit: 'seconds', step: 'any' }),
      { otherwise: '10' },
    ),
  },
  examples: [
    { does: 'Run a line', command: "vc computer python demo/desktop -c 'print(6 * 7)'" },
    { does: 'Run a file of this machine', command: 'vc computer python demo/desktop task.py' },
  ],
  async run(context, { computer, script }, { code: given, timeout }) {
    const code = await codeOf(context, script, given);
    const answer = await during(
      context.progress(`Running in ${computer}`),
      onComputer(context, 'exec', computer, { code, timeout }),
    );
    if (context.globals.json) await printJson(context, answer);
    else {
      await write(context.io.stdout, answer.output);
      if (answer.error && !answer.timed_out) {
        await write(context.io.stderr, `${answer.error.trimEnd()}\n`);
      }
    }
    if (answer.timed_out) {
      throw new CliError(`the code was ended after ${timeout ?? 10} s`, {
        hint: 'give it longer with --timeout',
        code: 'timeout',
      });
    }
    return answer.error_type === undefined && answer.error === undefined
      ? ExitCode.ok
      : ExitCode.failure;
  },
});

async function codeOf(
  context: Context,
  script: string | undefined,
  code: string | undefined,
): Promise<string> {
  if ((script === undefined) === (code === undefined)) {
    throw new UsageError('give either a file (or - for stdin) or -c CODE');
  }
  if (code !== undefined) return code;
  if (script === '-') return readAll(context);
  try {
    return await readFile(resolve(context.cwd, script ?? ''), 'utf8');
  } catch (cause) {
    const { message, hint } = cannotRead(script ?? '', cause);
    // What bash takes: the script itself.
    const meant = 'SCRIPT is a file; to run code: -c CODE';
    throw new UsageError(message, /[\s()]/.test(script ?? '') ? meant : hint);
  }
}
