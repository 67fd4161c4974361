import type { IncomingMessage } from 'node:http';

/** Bytes that are read and dropped after the answer, and for how many milliseconds. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_MS = 2_000;

/**
 * Lets a client that is still sending a body read its answer. Closing a socket with unread bytes resets
 * the connection, and the answer can be lost. So the service ends its side, and reads on for a bounded
 * time and number of bytes before it closes.
 */
export function closeLater(request: IncomingMessage): void {
  const { socket } = request;
  // Node calls this when the answer was sent.
  socket.destroySoon = () => {
    const limit = socket.bytesRead + MOST_BYTES;
    const timer = setTimeout(() => socket.destroy(), MOST_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.end();
    request.on('data', () => {
      if (socket.bytesRead > limit) socket.destroy();
    });
    request.once('close', () => socket.destroy());
    request.resume();
  };
}
