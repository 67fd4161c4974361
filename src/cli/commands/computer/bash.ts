import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { shellWord } from '../../../lib/text/shell-word.js';
import { UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { givenScript, scriptOptions } from '../../input/script/script.js';
import { note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { inCommands } from '../../targets/computer-address.js';
import { onComputer, programComputer } from '../../targets/computers.js';
import { programSelection, programTarget, runOnEach, SIDE_BY_SIDE } from '../../targets/on-each.js';
import { EXIT_CODES, processOptions, runAttached } from '../../targets/processes.js';

export const command = defineCommand({
  name: 'bash',
  summary: 'Run a shell script with stdin and output attached',
  details: [
    'Output is streamed and stdin is forwarded. Returns the exit code of the script,',
    `${EXIT_CODES}. Ctrl-C ends the script and what it started. ${SIDE_BY_SIDE} With os windows the script is a`,
    'batch file, which gets no stdin. With --json, `success` is true if the exit code is 0. As with',
    'vc python, -c takes code and -f a local file; SCRIPT is code here and a file there.',
  ].join(' '),
  runsProgram: true,
  arguments: {
    computer: programComputer,
    script: optional('script', 'code, or - for stdin', nonEmpty),
  },
  options: {
    ...scriptOptions,
    ...processOptions,
    ...programSelection,
    background: flag('--background', 'run in the background and print the job id'),
  },
  examples: [
    { does: 'Run two commands', command: "vc bash demo/desktop 'ls -l && df -h'" },
    {
      does: 'Open a program in the background',
      command: 'vc bash demo/desktop --background chromium',
    },
    {
      does: 'Run a command in all running computers with a label',
      command: "vc bash -l team=qa 'uptime | cut -c 1-40'",
    },
    { does: 'Run a local script', command: 'vc bash demo/desktop -f setup.sh' },
    {
      does: 'Search a local file with a script',
      command: "vc bash demo/desktop 'grep -c error | tee count' < app.log",
    },
  ],
  async run(context, args, { background, code, file, label, all, ...options }) {
    const given = args.script === undefined ? [] : [args.script];
    const selection = { label, all };
    const { computer, words, selects } = programTarget(args.computer, given, selection);
    const [script, extra] = words;
    if (extra !== undefined) throw new UsageError('give either a computer, --label or --all');
    if (background && selects) throw new UsageError('--background needs one computer');
    if (background && options.timeout !== undefined) {
      throw new UsageError('--timeout: not possible with --background', 'end it with: vc job end');
    }
    const source = await givenScript(context, {
      argument: script,
      argumentIs: 'text',
      code,
      file,
    });
    if (background) return runInBackground(context, computer, source.text, options);
    if (selects) return runOnEach(context, selection, { ...options, command: source.text });
    const stdin = options.stdin && !source.isFromStdin;
    const exit = await runAttached(context, computer, { ...options, stdin, command: source.text });
    if (exit === ExitCode.noProgram && script !== undefined) await hint(context, computer, script);
    return exit;
  },
});

/** For those who expect a local file to be run, as `bash FILE` does. */
async function hint(context: Context, computer: string, script: string): Promise<void> {
  const isFile = await stat(resolve(context.cwd, script)).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return;
  const run = `vc bash ${inCommands(context, computer)} -f ${shellWord(script)}`;
  await note(context, `${script} is a file of this machine; to run it in the computer: ${run}`);
}

async function runInBackground(
  context: Context,
  computer: string,
  command: string,
  { cwd, env }: { cwd: string | undefined; env: readonly (readonly [string, string])[] },
): Promise<number> {
  const answer = await during(
    context.progress(`Starting in ${computer}`),
    onComputer(context, 'bash', computer, {
      command,
      cwd,
      background: true,
      env: env.length > 0 ? Object.fromEntries(env) : undefined,
    }),
  );
  const { pid, job_id } = answer;
  if (context.globals.json) await printJson(context, answer);
  else {
    await print(context, job_id ?? String(pid ?? ''));
    const name = inCommands(context, computer);
    await note(context, `running in the background; for its output: vc logs ${name} ${job_id}`);
  }
  return ExitCode.ok;
}
