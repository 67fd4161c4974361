import type { WebSocket } from 'ws';

/** Milliseconds between two pings. */
export const BEAT_MS = 20_000;

/**
 * Terminates the socket of a client that is unreachable or reads nothing: one that has not answered
 * a ping when the next is due.
 */
export function startHeartbeat(socket: WebSocket): void {
  let alive = true;
  socket.on('pong', () => {
    alive = true;
  });
  const beat = setInterval(() => {
    // While the socket is paused for a slow guest, pongs are not read either.
    if (!alive && !socket.isPaused) socket.terminate();
    alive = false;
    socket.ping();
  }, BEAT_MS);
  socket.on('close', () => clearInterval(beat));
}
