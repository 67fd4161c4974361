import type { WebSocket } from 'ws';

/**
 * Terminates the socket of a client that is unreachable or reads nothing: one that has not answered
 * a ping when the next is due, after `beatMs` milliseconds.
 */
export function startHeartbeat(socket: WebSocket, beatMs: number): void {
  let alive = true;
  socket.on('pong', () => {
    alive = true;
  });
  const beat = setInterval(() => {
    // While the socket is paused for a slow guest, pongs are not read either.
    if (!alive && !socket.isPaused) socket.terminate();
    alive = false;
    socket.ping();
  }, beatMs);
  socket.on('close', () => clearInterval(beat));
}
