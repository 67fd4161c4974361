import { constants } from 'node:os';
import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { argument, defineCommand, flag, list, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { timeLimit } from '../../input/duration.js';
import { assignment, nonEmpty } from '../../input/parse.js';
import { readAll } from '../../input/stdin.js';
import { note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { inCommands } from '../../targets/computer-address.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'bash',
  summary: 'Run a shell script and print its output',
  details: [
    'Returns the exit code of the script. The output is printed when the script has ended; use',
    '`vc computer exec` to stream output or input. With os windows the script is a batch file.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    script: argument('script', 'script, or - for stdin', nonEmpty),
  },
  options: {
    timeout: value('--timeout <duration>', 'kill the script after this time', timeLimit, {
      otherwise: '200s',
    }),
    cwd: value('--cwd <directory>', 'working directory', nonEmpty),
    env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
    background: flag('--background', 'run in the background and print the job id'),
  },
  examples: [
    { does: 'Run two commands', command: "vc bash demo/desktop 'ls -l && df -h'" },
    {
      does: 'Open a program in the background',
      command: 'vc bash demo/desktop --background chromium',
    },
    { does: 'Run a local script', command: 'vc bash demo/desktop - < setup.sh' },
  ],
  async run(context, { computer, script }, { timeout, cwd, env, background }) {
    const answer = await during(
      context.progress(`Running in ${computer}`),
      onComputer(context, 'bash', computer, {
        command: script === '-' ? await readAll(context) : script,
        ...{ timeout, cwd },
        env: env.length > 0 ? Object.fromEntries(env) : undefined,
        background: background || undefined,
      }),
    );
    const { stdout, stderr, exit_code, timed_out, truncated, pid, job_id } = answer;
    if (context.globals.json) await printJson(context, answer);
    else if (background) {
      await print(context, job_id ?? String(pid ?? ''));
      const name = inCommands(context, computer);
      await note(
        context,
        `running in the background; for its output: vc job logs ${name} ${job_id}`,
      );
    } else {
      await write(context.io.stdout, stdout);
      await write(context.io.stderr, stderr);
      if (truncated) await note(context, 'the output was truncated');
    }
    if (timed_out) {
      throw new CliError(`the script timed out after ${timeout ?? 200} s`, {
        remedy: 'increase --timeout, or run it with --background',
        code: 'timeout',
      });
    }
    if (background) return ExitCode.ok;
    return exit_code ?? 128 + constants.signals.SIGKILL;
  },
});
