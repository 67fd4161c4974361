import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../contract/errors.js';

/** Linux: the file itself, without opening it for reading or writing. Node has no name for it. */
const O_PATH = 0o10000000;
const CONNECT_MS = 5_000;

/** The socket is not there, or nobody listens on it: the machine may still be starting. */
export class NotListening extends Error {
  override readonly name = 'NotListening';
}

/**
 * Connects to the screen's socket in a machine's directory.
 *
 * The guest owns that directory and is not trusted: a link that it leaves there would lead to a
 * socket of the host's. So the file is opened without following links and found to be a socket, and
 * then that very file is connected to, through its descriptor; which is also shorter than the 107
 * bytes that a socket's path may have.
 */
export async function dialScreen(directory: string, signal?: AbortSignal): Promise<Duplex> {
  const path = join(directory, 'rfb.sock');
  const file = await open(path, O_PATH | constants.O_NOFOLLOW).catch((cause) => {
    if (cause.code === 'ENOENT') throw new NotListening('no socket', { cause });
    throw cause;
  });
  try {
    if (!(await file.stat()).isSocket()) {
      throw new ApiError('guest_failed', "The computer's screen is not a socket.");
    }
    return await connected(connect(`/proc/self/fd/${file.fd}`), signal);
  } finally {
    await file.close();
  }
}

function connected(socket: Socket, signal: AbortSignal | undefined): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.removeAllListeners();
      if (error === undefined) return resolve(socket);
      // Its later errors are nobody's.
      socket.on('error', () => undefined).destroy();
      reject(error);
    };
    const onAbort = () => settle(signal?.reason);
    const timer = setTimeout(
      () => settle(new ApiError('guest_timeout', "The computer's screen did not answer in time.")),
      CONNECT_MS,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    socket.on('connect', () => settle());
    socket.on('error', (cause) => {
      settle(new NotListening('nobody listens', { cause }));
    });
  });
}
