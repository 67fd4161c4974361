import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';

/** Milliseconds between two pings. */
export const BEAT_MS = 20_000;
const PAYLOAD_BYTES = 8;
/** Pings that may still be answered: pongs wait behind what a client has sent to a slow guest. */
const MOST_OPEN = 16;

/**
 * Terminates the socket of a client that is unreachable or reads nothing: one that has not answered
 * a ping when the next is due. Only the echo of a ping is an answer: a client that does not read
 * cannot know it.
 */
export function startHeartbeat(socket: WebSocket, beatMs = BEAT_MS): void {
  let alive = true;
  let open: string[] = [];
  socket.on('pong', (data: Buffer) => {
    const answered = open.indexOf(data.toString('hex'));
    if (answered < 0) return;
    alive = true;
    open = open.slice(answered + 1);
  });
  const beat = setInterval(() => {
    // While the socket is paused for a slow guest, pongs are not read either.
    if (!alive && !socket.isPaused) socket.terminate();
    alive = false;
    const payload = randomBytes(PAYLOAD_BYTES);
    open = [...open, payload.toString('hex')].slice(-MOST_OPEN);
    socket.ping(payload);
  }, beatMs);
  socket.on('close', () => clearInterval(beat));
}
