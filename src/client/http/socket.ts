import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { onAbort } from '../../lib/async/abort.js';
import type { Endpoint } from './endpoint.js';
import { errorFromAnswer, errorFromFailure } from './failures.js';
import { whileAnswering } from './silence.js';
import { isChecked, verifiedConnector } from './trusted-peer.js';

/**
 * Opens a WebSocket at `path` (with its query) below the base URL; an abort ends it. It is paused:
 * the first message may come with the upgrade itself, before the caller listens for it.
 */
export async function openSocket(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal | undefined,
): Promise<WebSocket> {
  return whileAnswering({ ...endpoint, signal }, (either) => open(endpoint, path, either));
}

async function open(endpoint: Endpoint, path: string, signal: AbortSignal): Promise<WebSocket> {
  signal.throwIfAborted();
  const base = endpoint.url.href.replace(/\/$/, '').replace(/^http/, 'ws');
  const socket = new WebSocket(`${base}${path}`, {
    headers: endpoint.headers,
    perMessageDeflate: false,
    handshakeTimeout: 90_000,
    maxPayload: 16 * 1024 * 1024,
    ...(isChecked(endpoint.url, endpoint.listenerUid) && {
      createConnection: verifiedConnector(endpoint.listenerUid),
    }),
  });
  socket.once(
    'close',
    onAbort(signal, () => socket.terminate()),
  );
  try {
    await opened(socket, endpoint.url.href);
    return socket;
  } catch (failure) {
    signal.throwIfAborted();
    throw failure;
  }
}

/** Bytes in one message; the service takes at most 256 KiB. */
const PIECE = 64 * 1024;

/**
 * Sends bytes as messages that each start with `prefix`. `done` is called when the last of them has
 * left for the network, so a slow service slows the writer.
 */
export function sendBytes(
  socket: WebSocket,
  bytes: Buffer,
  prefix: Buffer,
  done: (error?: Error | null) => void,
): void {
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = Buffer.concat([prefix, bytes.subarray(at, at + PIECE)]);
    const isLast = at + PIECE >= bytes.length;
    socket.send(piece, (error) => {
      if (isLast) done(error ?? null);
    });
  }
  if (bytes.length === 0) done();
}

/** Resolves when the upgrade is accepted; rejects with the error of a refusal's answer. */
function opened(socket: WebSocket, baseUrl: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.pause();
      resolve();
    });
    socket.on('error', (failure) => reject(errorFromFailure(failure, baseUrl)));
    socket.once('unexpected-response', (_, response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('close', () => {
        socket.terminate();
        const body = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers } = response;
        reject(errorFromAnswer({ status, headers, body }, baseUrl));
      });
    });
  });
}
