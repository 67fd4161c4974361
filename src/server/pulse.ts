import type { WebSocket } from 'ws';

/**
 * Ends the socket of a client whose machine or network went away without a word, or who reads
 * nothing: one that has not answered a ping after `beatMs` milliseconds, when the next is due.
 */
export function dropWhenGone(socket: WebSocket, beatMs: number): void {
  let alive = true;
  socket.on('pong', () => {
    alive = true;
  });
  const beat = setInterval(() => {
    // What we do not read, for the guest is slow, holds back its pongs, too.
    if (!alive && !socket.isPaused) socket.terminate();
    alive = false;
    socket.ping();
  }, beatMs);
  socket.on('close', () => clearInterval(beat));
}
