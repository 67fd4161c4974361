import type { NodeProcess } from '../../client/node/process.js';
import type { ProcessExit } from '../../client/sockets/process-connection.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import type { Input } from '../framework/io.js';
import { jobState } from './foreground.js';
import { forwardOutputs } from './process-io.js';
import { EscapeFilter, enterRawMode, resetTerminal, terminalSize } from './raw-terminal.js';

/** A shell script in the guest, with a TERM that the guest knows, and its arguments. */
export function withKnownTerminal(script: string, argv: readonly string[] = []): string[] {
  const known = 'infocmp >/dev/null 2>&1 || export TERM=xterm-256color';
  return ['/bin/sh', '-c', `${known}; ${script}`, 'sh', ...argv];
}

/** To attach the terminal would stop a background job, and its connection would be lost. */
export function refuseBackground(stdin: Input): void {
  if (stdin !== process.stdin || jobState() !== 'background') return;
  throw new UsageError(
    'a background job has no terminal',
    "leave out the &; to run a command in the background: vc bash COMPUTER --background 'COMMAND'",
  );
}

/** The variable that tells programs what this terminal can do. */
export function terminalVariable({ env }: Context): Record<string, string> {
  const { TERM = '' } = env;
  return /^[A-Za-z0-9._+-]{1,64}$/.test(TERM) && TERM !== 'dumb' ? { TERM } : {};
}

/** Attaches the terminal until the process exits, then restores it. */
export async function attachTerminal(context: Context, remote: NodeProcess): Promise<ProcessExit> {
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
      throw new CliError('disconnected; the program was ended', {
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
