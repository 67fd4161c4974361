import type { Readable } from 'node:stream';
import type { NodeProcess } from '../../client/node/process.js';
import type { ProcessExit } from '../../client/sockets/process-connection.js';
import { InterruptedError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { flush, type Input, type Output } from '../framework/io.js';
import { jobState, watchJob } from './foreground.js';
import { safeOutput } from './safe-output.js';

/**
 * Pipes stdin to the process until either ends. A job that is started in the background of a shell
 * has no input, as if from /dev/null; one that is continued there has none until it is back.
 */
export function forwardInput(stdin: Input, remote: NodeProcess): void {
  const isTerminal = stdin.isTTY === true && stdin === process.stdin;
  if (isTerminal && jobState() === 'background') return void remote.stdin.end();
  const start = () => void stdin.pipe(remote.stdin);
  const stop = () => {
    stdin.unpipe(remote.stdin);
    stdin.pause();
  };
  start();
  const stopWatching = isTerminal
    ? watchJob((state) => (state === 'background' ? stop() : start()))
    : () => {};
  const end = () => {
    stopWatching();
    stop();
  };
  remote.exited.then(end, end);
}

/** Pipes output until its end, with backpressure; rejects if it cannot be written. */
async function forwardOutput(from: Readable, to: Output): Promise<void> {
  from.pipe(to, { end: false });
  await new Promise<void>((resolve, reject) => {
    from.once('end', resolve);
    from.once('close', resolve);
    to.once('error', reject);
  });
  await flush(to);
}

interface Printing {
  /** On a terminal, replace control characters. */
  readonly safe: boolean;
}

/** Prints both outputs as they arrive; resolves when the process has exited and all is printed. */
export async function forwardOutputs(
  { io }: Context,
  remote: NodeProcess,
  { safe }: Printing = { safe: false },
): Promise<ProcessExit> {
  const shown = (from: Readable, to: Output) =>
    forwardOutput(safe && to.isTTY ? safeOutput(from) : from, to);
  try {
    const outputs = [shown(remote.stdout, io.stdout), shown(remote.stderr, io.stderr)];
    const [exit] = await Promise.all([remote.exited, ...outputs]);
    return exit;
  } catch (error) {
    remote.close();
    throw error;
  }
}

/** Time for an interrupted process to exit. */
const GRACE_MS = 2000;

/**
 * Forwards Ctrl-C to the process. If it does not exit in time, or at the second Ctrl-C, closes the
 * connection, and the service kills the process group.
 */
export async function interruptible(
  { interrupts }: Context,
  remote: NodeProcess,
  work: Promise<ProcessExit>,
): Promise<ProcessExit> {
  let timer: NodeJS.Timeout | undefined;
  let release = () => {};
  const left = new Promise<never>((_, reject) => {
    const leave = () => {
      remote.close();
      reject(new InterruptedError());
    };
    release = interrupts.capture((signal) => {
      if (timer !== undefined) return leave();
      remote.kill(signal === 'SIGINT' ? 'INT' : signal === 'SIGHUP' ? 'HUP' : 'TERM');
      timer = setTimeout(leave, GRACE_MS);
    });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, left]);
  } finally {
    clearTimeout(timer);
    release();
  }
}
