import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';

/** The ticket has to come within this many milliseconds. */
const WITHIN_MS = 10_000;
/** And in so few bytes: before it, nobody is known. */
const MOST_BYTES = 4096;
/** Sockets that may wait for their ticket at once. */
const MOST_WAITING = 64;

let waiting = 0;

/**
 * The first message of a socket as JSON; undefined when it is none. Rejects with ApiError when it
 * does not come in time, or too many wait. A socket that sends more before is cut off.
 */
export async function openingMessage(socket: WebSocket, wire: Socket): Promise<unknown> {
  if (waiting >= MOST_WAITING) {
    throw new ApiError('rate_limited', 'Too many live views are being opened at once.');
  }
  waiting += 1;
  const read = wire.bytesRead;
  const watch = () => {
    if (wire.bytesRead - read > MOST_BYTES) socket.terminate();
  };
  wire.on('data', watch);
  try {
    return await firstMessage(socket);
  } finally {
    waiting -= 1;
    wire.off('data', watch);
  }
}

function firstMessage(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = new ApiError('request_timeout', 'The ticket did not come in time.');
    const timer = setTimeout(() => reject(late), WITHIN_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(late);
    });
    socket.once('message', (data: Buffer, isBinary) => {
      clearTimeout(timer);
      resolve(isBinary ? undefined : parsed(data.toString()));
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
