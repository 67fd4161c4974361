import { openNodeProcess } from '../../../client/node/process.js';
import { processExitCode } from '../../errors/exit-codes.js';
import { defineCommand } from '../../framework/define.js';
import { computerAddress } from '../../targets/computer-address.js';
import { namedOrOnly, optionalRunningComputer } from '../../targets/computers.js';
import { environmentOptions } from '../../targets/processes.js';
import {
  attachTerminal,
  refuseBackground,
  terminalVariable,
  withKnownTerminal,
} from '../../terminal/attach.js';
import { forwardInput, forwardOutputs, interruptible } from '../../terminal/process-io.js';
import { terminalSize } from '../../terminal/raw-terminal.js';

/** Starts the login shell of the user. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: expanded by the guest's shell
const LOGIN_SHELL = withKnownTerminal('exec "${SHELL:-/bin/sh}" -l');

export const command = defineCommand({
  name: 'shell',
  summary: 'Open an interactive shell',
  details: [
    'Opens the login shell in this terminal. Keys such as Ctrl-C go to the computer. To disconnect,',
    'type Enter ~ . as in ssh. Returns the exit code of the shell, or 125 if vc itself fails. If stdin is not a terminal, the',
    'shell reads commands from stdin.',
  ].join(' '),
  runsProgram: true,
  arguments: { computer: optionalRunningComputer },
  options: environmentOptions,
  examples: [
    { does: 'Open a shell', command: 'vc shell demo/desktop' },
    { does: 'Run commands from a file', command: 'vc shell demo/desktop < commands.sh' },
  ],
  async run(context, { computer: given }, { cwd, env }) {
    const { io } = context;
    const isTerminal = io.stdin.isTTY === true;
    if (isTerminal) refuseBackground(io.stdin);
    const computer = await namedOrOnly(context, given);
    const size = terminalSize(io.stdout.isTTY ? io.stdout : io.stderr);
    const address = await computerAddress(context, computer);
    const client = await context.client();
    const variables = {
      ...Object.fromEntries(env),
      ...(isTerminal ? terminalVariable(context) : {}),
    };
    const remote = await openNodeProcess(client, address, {
      argv: LOGIN_SHELL,
      cwd,
      env: Object.keys(variables).length > 0 ? variables : undefined,
      ...(isTerminal ? { terminal: size } : {}),
      signal: context.interrupts.signal,
    });
    if (isTerminal) return processExitCode(await attachTerminal(context, remote));
    forwardInput(io.stdin, remote);
    return processExitCode(await interruptible(context, remote, forwardOutputs(context, remote)));
  },
});
