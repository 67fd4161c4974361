import type { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { OVERHEAD } from './limit-messages.js';

/** Bytes that wait to be written, above which the client is paused. */
const MOST_WAITING = 256 * 1024;

/**
 * Writes a client's messages to a process or tunnel, and pauses the client while much of them
 * waits. `hold` counts what waits, with a charge for each message.
 */
export function pour(
  socket: WebSocket,
  target: Writable,
  hold: (bytes: number) => void,
): (data: Buffer) => void {
  let waiting = 0;
  const count = (bytes: number) => {
    waiting += bytes;
    hold(bytes);
    if (waiting > MOST_WAITING) socket.pause();
    else if (socket.isPaused) socket.resume();
  };
  return (data) => {
    const size = data.length + OVERHEAD;
    count(size);
    target.write(data, () => count(-size));
  };
}
