import { shellWord } from '../../../lib/text/shell-word.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { givenScript, scriptOptions } from '../../input/script/script.js';
import { inCommands } from '../../targets/computer-address.js';
import { runningComputer } from '../../targets/computers.js';
import { EXIT_CODES, processOptions, runAttached } from '../../targets/processes.js';

export const command = defineCommand({
  name: 'python',
  summary: 'Run Python 3 code with stdin and output attached',
  details: [
    'Output is streamed and stdin is forwarded. Returns the exit code of the code,',
    `${EXIT_CODES}. Ctrl-C ends the code and what it started. With --json, \`success\` is true if the`,
    'exit code is 0, and an exception is in `error` and `error_type`. As with vc bash, -c takes code',
    'and -f a local file; SCRIPT is a file here and code there.',
  ].join(' '),
  runsProgram: true,
  arguments: {
    computer: runningComputer,
    script: optional('script', 'local file, or - for stdin', nonEmpty, { completes: 'file' }),
  },
  options: { ...scriptOptions, ...processOptions },
  examples: [
    { does: 'Run one line', command: "vc python demo/desktop -c 'print(6 * 7)'" },
    { does: 'Run a local file', command: 'vc python demo/desktop task.py' },
    {
      does: 'Pass input to the code',
      command: "vc python demo/desktop -c 'print(len(input()))' < words.txt",
    },
  ],
  async run(context, { computer, script }, { code, file, ...options }) {
    const argument = script;
    const given = await givenScript(context, {
      argument,
      argumentIs: 'file',
      code,
      file,
    }).catch((error: unknown) => {
      throw argument === undefined ? error : asCode(context, error, { computer, argument });
    });
    const stdin = options.stdin && !given.isFromStdin;
    return runAttached(context, computer, { ...options, stdin, code: given.text });
  },
});

/** The error for an argument that is no file and looks like code, as `vc bash` takes it. */
function asCode(
  context: Context,
  error: unknown,
  { computer, argument }: { readonly computer: string; readonly argument: string },
): unknown {
  const isMissing = error instanceof CliError && isNodeError(error.cause, 'ENOENT', 'ENAMETOOLONG');
  const isName = /^[\w./~-]*[\w-]$/.test(argument) && !/^\d+$/.test(argument);
  if (!isMissing || isName) return error;
  const run = `vc python ${inCommands(context, computer)} -c ${shellWord(argument)}`;
  return new UsageError(error.message, `SCRIPT is a local file; to run code: ${run}`);
}

function isNodeError(cause: unknown, ...codes: readonly string[]): boolean {
  return cause instanceof Error && 'code' in cause && codes.includes(String(cause.code));
}
