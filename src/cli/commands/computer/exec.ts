import { text } from 'node:stream/consumers';
import type { ProcessExit, RemoteProcess } from '../../../client/process.js';
import { processExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, list, many, value } from '../../framework/define.js';
import { assignment, nonEmpty } from '../../input/parse.js';
import { printJson } from '../../output/print.js';
import { computerAddress } from '../../targets/computer-address.js';
import { runningComputer } from '../../targets/computers.js';
import { forwardInput, forwardOutputs, interruptible } from '../../terminal/process-io.js';

export const command = defineCommand({
  name: 'exec',
  summary: 'Run a program with stdin and output attached',
  details: [
    'Runs the program without a shell. Put -- before the program. Output is streamed and stdin is',
    'forwarded. Returns the exit code of the program, or 128 plus the number of the signal that',
    'ended it. Ctrl-C interrupts the program.',
  ].join(' '),
  arguments: { computer: runningComputer, argv: many('command', 'program and arguments') },
  options: {
    cwd: value('--cwd <directory>', 'working directory', nonEmpty),
    env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
    stdin: flag('-n, --no-stdin', 'do not forward stdin'),
  },
  examples: [
    { does: 'Run a program', command: 'vc exec demo/desktop -- uname -a' },
    {
      does: 'Copy a directory from the computer',
      command: 'vc exec demo/desktop -- tar c -C /home/user . > home.tar',
    },
    {
      does: 'Use a variable of the guest',
      command: "vc exec demo/desktop -- sh -c 'echo $HOME'",
    },
  ],
  async run(context, { computer, argv }, { cwd, env, stdin }) {
    const address = await computerAddress(context, computer);
    const client = await context.client();
    const remote = await client.process(address, {
      argv: [...argv],
      ...{ cwd },
      env: env.length > 0 ? Object.fromEntries(env) : undefined,
      signal: context.interrupts.signal,
    });
    if (stdin) forwardInput(context.io.stdin, remote);
    else remote.stdin.end();
    const print = context.globals.json ? printDocument : forwardOutputs;
    return processExitCode(await interruptible(context, remote, print(context, remote)));
  },
});

async function printDocument(context: Context, remote: RemoteProcess): Promise<ProcessExit> {
  const [stdout, stderr, exit] = await Promise.all([
    text(remote.stdout),
    text(remote.stderr),
    remote.exited,
  ]);
  await printJson(context, { exit_code: exit.code, signal: exit.signal, stdout, stderr });
  return exit;
}
