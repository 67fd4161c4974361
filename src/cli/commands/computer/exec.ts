import type { ProcessExit, RemoteProcess } from '../../../client/process.js';
import { computerAddress } from '../../address.js';
import { runningComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { defineCommand, flag, list, many, value } from '../../define.js';
import { processExitCode } from '../../exit-codes.js';
import { printJson } from '../../output.js';
import { assignment, nonEmpty } from '../../parse.js';
import { collect, forwardInput, forwardOutput, interruptible } from '../../streams.js';

export const command = defineCommand({
  name: 'exec',
  summary: 'Run a program with its input and output connected',
  details: [
    'No shell stands between: the words are the program and its arguments. Write -- before them.',
    "Output comes as it is printed, stdin is forwarded, and the exit code is the program's own",
    '(128 and the number of the signal that ended it). Ctrl-C interrupts the program first.',
  ].join(' '),
  arguments: { computer: runningComputer, argv: many('command', 'the program and its arguments') },
  options: {
    cwd: value('--cwd <directory>', 'directory to run in', nonEmpty),
    env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
    stdin: flag('-n, --no-stdin', 'give it no input'),
  },
  examples: [
    { does: 'Run a program', command: 'vc computer exec demo/desktop -- uname -a' },
    {
      does: 'Copy a directory out',
      command: 'vc computer exec demo/desktop -- tar c -C /home/user . > home.tar',
    },
    {
      does: 'Use a variable of the computer',
      command: "vc computer exec demo/desktop -- sh -c 'echo $HOME'",
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
    const exit = await interruptible(context, remote, transfer(context, remote));
    return processExitCode(exit);
  },
});

async function transfer(context: Context, remote: RemoteProcess): Promise<ProcessExit> {
  const { io, globals } = context;
  if (!globals.json) {
    const outputs = [
      forwardOutput(remote.stdout, io.stdout, remote),
      forwardOutput(remote.stderr, io.stderr, remote),
    ];
    const exit = await remote.exited;
    await Promise.all(outputs);
    return exit;
  }
  const [stdout, stderr, exit] = await Promise.all([
    collect(remote.stdout),
    collect(remote.stderr),
    remote.exited,
  ]);
  await printJson(context, { exit_code: exit.code, signal: exit.signal, stdout, stderr });
  return exit;
}
