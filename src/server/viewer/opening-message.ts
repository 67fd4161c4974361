import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import { parseJson } from '../../lib/json/parse.js';

/** Time limit for the ticket, in milliseconds. */
const WITHIN_MS = 10_000;
/** Largest first message, in bytes: the client is not authenticated yet. */
const MOST_BYTES = 4096;
/** Limits of sockets that wait for their ticket, in total and per address. */
const MOST_WAITING = 64;
const MOST_OF_ADDRESS = 32;

/** Waiting sockets, the oldest first, with their clients' addresses. */
const waiting = new Map<WebSocket, string | undefined>();

/**
 * The first message of a socket as JSON; undefined when it is none. Rejects with ApiError when it
 * does not come in time. A socket that sends more is closed. When too many wait, the oldest is
 * closed, so that waiting sockets cannot block others.
 */
export async function openingMessage(socket: WebSocket, wire: Socket): Promise<unknown> {
  const address = wire.remoteAddress;
  const surplus = oneTooMany(address);
  if (surplus !== undefined) {
    // At once, so that the next socket of the same turn closes another one.
    waiting.delete(surplus);
    surplus.terminate();
  }
  waiting.set(socket, address);
  const read = wire.bytesRead;
  const watch = () => {
    if (wire.bytesRead - read > MOST_BYTES) socket.terminate();
  };
  wire.on('data', watch);
  try {
    return await firstMessage(socket);
  } finally {
    waiting.delete(socket);
    wire.off('data', watch);
  }
}

/** The oldest of the address, or of all, if another one would be too many. */
function oneTooMany(address: string | undefined): WebSocket | undefined {
  const ofAddress = [...waiting.keys()].filter((socket) => waiting.get(socket) === address);
  if (ofAddress.length >= MOST_OF_ADDRESS) return ofAddress[0];
  return waiting.size >= MOST_WAITING ? waiting.keys().next().value : undefined;
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
      resolve(isBinary ? undefined : parseJson(data.toString()));
    });
  });
}
