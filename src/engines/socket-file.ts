import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { ApiError } from '../contract/errors.js';

/** Linux: the file itself, without opening it for reading or writing. Node has no name for it. */
const O_PATH = 0o10000000;
const CONNECT_MS = 5_000;

/** The socket is not there, or nobody listens on it: the machine may still be starting. */
export class NotListening extends Error {
  override readonly name = 'NotListening';
}

/**
 * Connects to a unix socket in a directory that a guest, or what runs it, can write.
 *
 * It is not trusted: a link left there would lead to a socket of the host's. So the file is opened
 * without following links and found to be a socket, and then that very file is connected to,
 * through its descriptor; which is also shorter than the 107 bytes that a socket's path may have.
 *
 * `what` names it in errors, for example `The computer's screen`. Throws {@link NotListening}, or
 * an ApiError: `guest_failed` for something else than a socket, `guest_timeout`.
 */
export async function dialSocketFile(
  path: string,
  what: string,
  signal?: AbortSignal,
): Promise<Socket> {
  const file = await open(path, O_PATH | constants.O_NOFOLLOW).catch((cause) => {
    if (cause.code === 'ENOENT') throw new NotListening('no socket', { cause });
    throw cause;
  });
  let socket: Socket;
  try {
    if (!(await file.stat()).isSocket()) {
      throw new ApiError('guest_failed', `${what} is not a socket.`);
    }
    socket = await connected(connect(`/proc/self/fd/${file.fd}`), what, signal);
  } finally {
    await file.close();
  }
  // Its 'close' has been and gone: nobody who listens from now on would hear of it.
  if (socket.destroyed) throw new NotListening('it hung up at once');
  return socket;
}

function connected(socket: Socket, what: string, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect).off('error', onError);
      // A guest can end the connection at any moment, also while nobody listens yet.
      socket.on('error', () => undefined);
      if (error === undefined) return resolve(socket);
      socket.destroy();
      reject(error);
    };
    const onAbort = () => settle(signal?.reason);
    const onConnect = () => settle();
    const onError = (cause: Error) => settle(new NotListening('nobody listens', { cause }));
    const timer = setTimeout(
      () => settle(new ApiError('guest_timeout', `${what} did not answer in time.`)),
      CONNECT_MS,
    );
    socket.on('connect', onConnect).on('error', onError);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
