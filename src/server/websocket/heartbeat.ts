import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';

/** Milliseconds between two pings. */
export const BEAT_MS = 20_000;

/**
 * What keeps a socket. `any-pong`: also one that answers no ping, which the client library sends while
 * its program reads nothing. `answers`: only the answer to a ping, which is sent after what is unread.
 */
export type SignOfLife = 'any-pong' | 'answers';

/**
 * Terminates the socket of a client that is unreachable or reads nothing: one that has given no sign
 * of life when the next ping is due.
 */
export function startHeartbeat(socket: WebSocket, sign: SignOfLife): void {
  let isAlive = true;
  /** Of the ping that is not answered yet; not to be guessed without reading it. */
  let expected = randomBytes(8);
  socket.on('pong', (data: Buffer) => {
    if (sign === 'any-pong' || data.equals(expected)) isAlive = true;
  });
  const beat = setInterval(() => {
    // While the socket is paused for a slow guest, pongs are not read either.
    if (!isAlive && !socket.isPaused) socket.terminate();
    if (isAlive) expected = randomBytes(8);
    isAlive = false;
    socket.ping(expected);
  }, BEAT_MS);
  socket.on('close', () => clearInterval(beat));
}
