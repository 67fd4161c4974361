import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { givenScript, scriptOptions } from '../../input/script/script.js';
import { runningComputer } from '../../targets/computers.js';
import { EXIT_CODES, processOptions, runAttached } from '../../targets/processes.js';

export const command = defineCommand({
  name: 'python',
  summary: 'Run Python 3 code with stdin and output attached',
  details: [
    'Output is streamed and stdin is forwarded. Returns the exit code of the code,',
    `${EXIT_CODES}. Ctrl-C ends the code and what it started. With --json, \`success\` is true if the`,
    'exit code is 0, and an exception is in `error` and `error_type`.',
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
    const given = await givenScript(context, {
      ...{ argument: script, argumentIs: 'file', code, file },
    }).catch((error: unknown) => {
      const isCode = script !== undefined && /[\s()]/.test(script);
      if (!isCode) throw error;
      throw new UsageError((error as Error).message, 'SCRIPT is a file; to run code, use -c CODE');
    });
    const stdin = options.stdin && !given.isFromStdin;
    return runAttached(context, computer, { ...options, stdin, code: given.text });
  },
});
