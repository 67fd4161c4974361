import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { cannotRead } from '../../errors/file-errors.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, optional, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { duration } from '../../input/duration.js';
import { nonEmpty, text } from '../../input/parse.js';
import { readAll } from '../../input/stdin.js';
import { printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'python',
  summary: 'Run Python 3 code and print its output',
  arguments: {
    computer: runningComputer,
    script: optional('script', 'local file, or - for stdin', nonEmpty, { completes: 'file' }),
  },
  options: {
    code: value('-c, --code <code>', 'code to run', text),
    timeout: value(
      '--timeout <duration>',
      'kill the code after this time, at most 5m',
      duration({ unit: 's', min: '1s', max: '5m' }),
      { otherwise: '10s' },
    ),
  },
  examples: [
    { does: 'Run one line', command: "vc python demo/desktop -c 'print(6 * 7)'" },
    { does: 'Run a local file', command: 'vc python demo/desktop task.py' },
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
      throw new CliError(`the code timed out after ${timeout ?? 10} s`, {
        remedy: 'increase --timeout',
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
    throw new UsageError('give a file, - for stdin, or -c CODE');
  }
  if (code !== undefined) return code;
  if (script === '-') return readAll(context);
  try {
    return await readFile(resolve(context.cwd, script ?? ''), 'utf8');
  } catch (cause) {
    const { message, remedy } = cannotRead(script ?? '', cause);
    const isCode = /[\s()]/.test(script ?? '');
    throw new UsageError(message, isCode ? 'SCRIPT is a file; to run code, use -c CODE' : remedy);
  }
}
