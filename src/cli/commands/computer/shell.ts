import { type NodeProcess, openNodeProcess } from '../../../client/node/process.js';
import type { ProcessExit } from '../../../client/sockets/process-connection.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import { processExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand } from '../../framework/define.js';
import type { Input } from '../../framework/io.js';
import { computerAddress } from '../../targets/computer-address.js';
import { namedOrOnly, optionalRunningComputer } from '../../targets/computers.js';
import { environmentOptions } from '../../targets/processes.js';
import { jobState } from '../../terminal/foreground.js';
import { forwardInput, forwardOutputs, interruptible } from '../../terminal/process-io.js';
import {
  EscapeFilter,
  enterRawMode,
  resetTerminal,
  terminalSize,
} from '../../terminal/raw-terminal.js';

/** Starts the login shell of the user, with a TERM that the guest knows. */
const LOGIN_SHELL = [
  '/bin/sh',
  '-c',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: expanded by the guest's shell
  'infocmp >/dev/null 2>&1 || export TERM=xterm-256color; exec "${SHELL:-/bin/sh}" -l',
];

export const command = defineCommand({
  name: 'shell',
  aliases: ['ssh'],
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
    const variables = { ...Object.fromEntries(env), ...(isTerminal ? term(context) : {}) };
    const remote = await openNodeProcess(client, address, {
      argv: [...LOGIN_SHELL],
      cwd,
      env: Object.keys(variables).length > 0 ? variables : undefined,
      ...(isTerminal ? { terminal: size } : {}),
      signal: context.interrupts.signal,
    });
    if (isTerminal) return processExitCode(await interactive(context, remote));
    forwardInput(io.stdin, remote);
    return processExitCode(await interruptible(context, remote, forwardOutputs(context, remote)));
  },
});

/** To attach the terminal would stop a background job, and its connection would be lost. */
function refuseBackground(stdin: Input): void {
  if (stdin !== process.stdin || jobState() !== 'background') return;
  throw new UsageError(
    'a background job has no terminal for a shell',
    "leave out the &; to run a command in the background: vc bash COMPUTER --background 'COMMAND'",
  );
}

function term({ env }: Context): Record<string, string> {
  const { TERM = '' } = env;
  return /^[A-Za-z0-9._+-]{1,64}$/.test(TERM) && TERM !== 'dumb' ? { TERM } : {};
}

/** Attaches the terminal until the shell exits, then restores it. */
async function interactive(context: Context, remote: NodeProcess): Promise<ProcessExit> {
  const { io, interrupts } = context;
  const { stdin } = io;
  const screen = io.stdout.isTTY ? io.stdout : io.stderr;
  const left = new AbortController();
  const leave = () => {
    left.abort();
    remote.close();
  };
  const keys = new EscapeFilter(leave);
  const onData = (typed: Buffer) => {
    const passed = keys.filter(Buffer.from(typed));
    if (passed.length > 0 && !remote.stdin.write(passed)) {
      stdin.pause();
      remote.stdin.once('drain', () => stdin.resume());
    }
  };
  const onResize = () => remote.resize(terminalSize(screen));
  // In raw mode Ctrl-C is a key, so a signal comes from another process.
  const release = interrupts.capture(leave);
  const restore = enterRawMode(stdin);
  stdin.on('data', onData);
  stdin.once('end', leave);
  screen.on('resize', onResize);
  try {
    onResize();
    return await forwardOutputs(context, remote);
  } catch (error) {
    resetTerminal(io.stdout);
    if (left.signal.aborted) {
      throw new CliError('disconnected; the shell was ended', {
        code: 'interrupted',
        exitCode: 130,
      });
    }
    throw error;
  } finally {
    screen.off('resize', onResize);
    stdin.off('data', onData);
    stdin.off('end', leave);
    stdin.pause();
    restore();
    release();
  }
}
