import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Endpoint } from './endpoint.js';
import { errorFromAnswer, errorFromFailure } from './errors.js';

/**
 * Opens a WebSocket at `path` (with its query) below the base URL; an abort ends it. It is paused:
 * the first message may come with the upgrade itself, before anybody listens for it.
 */
export async function openSocket(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal | undefined,
): Promise<WebSocket> {
  signal?.throwIfAborted();
  const base = endpoint.url.href.replace(/\/$/, '').replace(/^http/, 'ws');
  const socket = new WebSocket(`${base}${path}`, {
    headers: endpoint.headers,
    perMessageDeflate: false,
    handshakeTimeout: 90_000,
    maxPayload: 16 * 1024 * 1024,
  });
  const leave = () => socket.terminate();
  signal?.addEventListener('abort', leave, { once: true });
  socket.once('close', () => signal?.removeEventListener('abort', leave));
  try {
    await opened(socket, endpoint.url.href);
    return socket;
  } catch (failure) {
    signal?.throwIfAborted();
    throw failure;
  }
}

/** Resolves when the upgrade is accepted; a refusal becomes the error that its answer stands for. */
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
        const header = (name: string) => String(response.headers[name] ?? '') || undefined;
        const answer = { status: response.statusCode ?? 0, code: header('x-error-code'), body };
        reject(errorFromAnswer({ ...answer, requestId: header('x-request-id') }, baseUrl));
      });
    });
  });
}
