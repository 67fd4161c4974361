import type { Readable } from 'node:stream';
import type { ProcessExit, RemoteProcess } from '../client/process.js';
import type { Context } from './context.js';
import { InterruptedError } from './errors.js';
import type { Input, Output } from './io.js';

/** Sends stdin to the process until either ends. A terminal keeps its line mode. */
export function forwardInput(stdin: Input, remote: RemoteProcess): void {
  stdin.pipe(remote.stdin);
  const stop = () => {
    stdin.unpipe(remote.stdin);
    stdin.pause();
  };
  remote.exited.then(stop, stop);
}

/** Hands output on as it comes; resolves at its end. A slow reader slows the process. */
export function forwardOutput(from: Readable, to: Output, remote: RemoteProcess): Promise<void> {
  return new Promise((resolve) => {
    from.pipe(to, { end: false });
    from.once('end', resolve);
    from.once('close', resolve);
    // The reader has gone: so does the process.
    to.once('error', () => {
      remote.close();
      resolve();
    });
  });
}

/** All of a stream as text. */
export async function collect(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

/** How long an interrupted process has to end by itself. */
const GRACE_MS = 2000;

/**
 * Ctrl-C interrupts the process first; when it does not end in time, or at the second Ctrl-C, the
 * command leaves, and the service ends the process group.
 */
export async function interruptible(
  { interrupts }: Context,
  remote: RemoteProcess,
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
