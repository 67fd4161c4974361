import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { ApiError } from '../contract/errors.js';
import { within } from '../lib/async/deadline.js';

/** Linux: a descriptor of the file that cannot be read or written. Node has no constant for it. */
export const O_PATH = 0o10000000;
const CONNECT_MS = 5_000;

/** The socket does not exist or nothing listens on it: the machine may still be starting. */
export class NotListening extends Error {
  override readonly name = 'NotListening';
}

/**
 * Connects to a unix socket in a directory that a guest or its QEMU can write to.
 *
 * Such a path could be a link to a socket of the host. So the file is opened without following
 * links, checked to be a socket and connected to through its descriptor. That path is also short:
 * a socket's may have 107 bytes at most.
 *
 * `what` names it in errors, for example `The computer's screen`. Throws {@link NotListening}, or
 * an ApiError: `guest_failed` if the file is not a socket, `guest_timeout`.
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
  // 'close' has been emitted already; the caller would never see it.
  if (socket.destroyed) throw new NotListening('the connection was closed at once');
  return socket;
}

async function connected(
  socket: Socket,
  what: string,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const connection = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    // Stays: the guest can close the connection before the caller has added a listener.
    socket.on('error', (cause) => reject(new NotListening('nothing listens', { cause })));
  });
  const onTimeout = () => new ApiError('guest_timeout', `${what} did not answer in time.`);
  try {
    await within(connection, { ms: CONNECT_MS, onTimeout, signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
