import type { ProcessExit, RemoteProcess } from '../../../client/process.js';
import { computerAddress } from '../../address.js';
import { runningComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { defineCommand, list, value } from '../../define.js';
import { CliError } from '../../errors.js';
import { processExitCode } from '../../exit-codes.js';
import { assignment, nonEmpty } from '../../parse.js';
import { calm, Escape, enterRawMode, terminalSize } from '../../raw-terminal.js';
import { forwardInput, forwardOutput, interruptible } from '../../streams.js';

/** The login shell of the user, with a terminal that the computer knows. A constant: no text in it. */
const LOGIN_SHELL = [
  '/bin/sh',
  '-c',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the guest's shell fills it in
  'infocmp >/dev/null 2>&1 || export TERM=xterm-256color; exec "${SHELL:-/bin/sh}" -l',
];

export const command = defineCommand({
  name: 'shell',
  aliases: ['ssh'],
  summary: 'Open a shell in a terminal',
  details: [
    "The login shell of the computer's user, with this terminal: every key, Ctrl-C as well, goes to",
    "the computer, and the exit code is the shell's own. Where the connection hangs, Enter ~ . leaves.",
    'With stdin in a pipe it reads commands from there, without a terminal.',
  ].join(' '),
  arguments: { computer: runningComputer },
  options: {
    cwd: value('--cwd <directory>', 'directory to begin in', nonEmpty),
    env: list('-e, --env <name=value>', 'environment variable; repeatable', assignment),
  },
  examples: [
    { does: 'Work in the computer', command: 'vc computer shell demo/desktop' },
    { does: 'Run a list of commands', command: 'vc computer shell demo/desktop < commands.sh' },
  ],
  async run(context, { computer }, { cwd, env }) {
    const { io } = context;
    const isTerminal = io.stdin.isTTY === true;
    const size = terminalSize(io.stdout.isTTY ? io.stdout : io.stderr);
    const address = await computerAddress(context, computer);
    const client = await context.client();
    const variables = { ...Object.fromEntries(env), ...(isTerminal ? term(context) : {}) };
    const remote = await client.process(address, {
      argv: [...LOGIN_SHELL],
      ...{ cwd },
      env: Object.keys(variables).length > 0 ? variables : undefined,
      ...(isTerminal ? { terminal: size } : {}),
      signal: context.interrupts.signal,
    });
    if (isTerminal) return processExitCode(await interactive(context, remote));
    forwardInput(io.stdin, remote);
    return processExitCode(await interruptible(context, remote, output(context, remote)));
  },
});

function term({ env }: Context): Record<string, string> {
  const { TERM = '' } = env;
  return /^[A-Za-z0-9._+-]{1,64}$/.test(TERM) && TERM !== 'dumb' ? { TERM } : {};
}

async function output({ io }: Context, remote: RemoteProcess): Promise<ProcessExit> {
  const outputs = [
    forwardOutput(remote.stdout, io.stdout, remote),
    forwardOutput(remote.stderr, io.stderr, remote),
  ];
  const exit = await remote.exited;
  await Promise.all(outputs);
  return exit;
}

/** Connects the terminal until the shell ends; gives it back however that comes. */
async function interactive(context: Context, remote: RemoteProcess): Promise<ProcessExit> {
  const { io, interrupts } = context;
  const { stdin } = io;
  const screen = io.stdout.isTTY ? io.stdout : io.stderr;
  const left = new AbortController();
  const leave = () => {
    left.abort();
    remote.close();
  };
  const keys = new Escape(leave);
  const onData = (typed: Buffer) => {
    const passed = keys.filter(Buffer.from(typed));
    if (passed.length > 0 && !remote.stdin.write(passed)) {
      stdin.pause();
      remote.stdin.once('drain', () => stdin.resume());
    }
  };
  const onResize = () => remote.resize(terminalSize(screen));
  // In raw mode Ctrl-C is a key: a signal comes from elsewhere, and means to end.
  const release = interrupts.capture(leave);
  const restore = enterRawMode(stdin);
  stdin.on('data', onData);
  stdin.once('end', leave);
  screen.on('resize', onResize);
  try {
    onResize();
    return await output(context, remote);
  } catch (error) {
    calm(io.stdout);
    if (left.signal.aborted) {
      throw new CliError('left; the shell was ended', { code: 'interrupted', exitCode: 130 });
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
