import { constants } from 'node:os';
import { inCommands } from '../../address.js';
import { onComputer, runningComputer } from '../../computers.js';
import { argument, defineCommand, flag, list, value } from '../../define.js';
import { CliError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { readAll } from '../../input.js';
import { write } from '../../io.js';
import { note, print, printJson } from '../../output.js';
import { assignment, nonEmpty, number } from '../../parse.js';
import { during } from '../../progress.js';

export const command = defineCommand({
  name: 'bash',
  summary: 'Run a shell script and print what it printed',
  details: [
    "Ends with the script's own exit code. The output comes when the script has ended; for output",
    'as it comes, and for input, use: vc computer exec. On os windows the script is a batch file',
    'for cmd.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    script: argument('script', 'the script, or - for stdin', nonEmpty),
  },
  options: {
    timeout: value(
      '--timeout <seconds>',
      'end it after so long',
      number({ min: 0.1, max: 86_400, unit: 'seconds', step: 'any' }),
      { otherwise: '200' },
    ),
    cwd: value('--cwd <directory>', 'directory to run in', nonEmpty),
    env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
    background: flag('--background', 'print its job id and leave it running'),
  },
  examples: [
    { does: 'Look around', command: "vc computer bash demo/desktop 'ls -l && df -h'" },
    {
      does: 'Open a program and leave it open',
      command: 'vc computer bash demo/desktop --background chromium',
    },
    { does: 'Run a local script', command: 'vc computer bash demo/desktop - < setup.sh' },
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
      await note(context, `it runs on; read its output with: vc job logs ${name} ${job_id}`);
    } else {
      await write(context.io.stdout, stdout);
      await write(context.io.stderr, stderr);
      if (truncated) await note(context, 'the output was longer and is cut off');
    }
    if (timed_out) {
      throw new CliError(`the script was ended after ${timeout ?? 200} s`, {
        hint: 'give it longer with --timeout, or leave it running with --background',
        code: 'timeout',
      });
    }
    if (background) return ExitCode.ok;
    return exit_code ?? 128 + constants.signals.SIGKILL;
  },
});
