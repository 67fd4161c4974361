import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { onAbort } from '../../lib/async/abort.js';
import { connectUnix } from '../../lib/net/unix-socket.js';
import type { MessageSocket, SocketListener } from '../sockets/message-socket.js';
import { errorFromAnswer, errorFromFailure, readErrorText } from './failures.js';
import type { Endpoint } from './transport.js';

/** Milliseconds between signs of life while nothing is read; the service pings every 20 s. */
const BEAT_MS = 10_000;

/** Opens a WebSocket at `path` (with its query) below the base URL; an abort ends it. */
export async function openNodeSocket(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal,
): Promise<MessageSocket> {
  signal.throwIfAborted();
  const base = endpoint.url.href.replace(/\/$/, '').replace(/^http/, 'ws');
  const { socketPath, ca } = endpoint;
  const socket = new WebSocket(`${base}${path}`, {
    headers: endpoint.headers,
    perMessageDeflate: false,
    handshakeTimeout: 90_000,
    maxPayload: 16 * 1024 * 1024,
    ...(ca === undefined ? {} : { ca }),
    ...(socketPath === undefined ? {} : { createConnection: () => connectUnix(socketPath) }),
  });
  socket.once(
    'close',
    onAbort(signal, () => socket.terminate()),
  );
  try {
    await opened(socket, endpoint.url.href);
    return new NodeSocket(socket);
  } catch (failure) {
    signal.throwIfAborted();
    throw failure;
  }
}

class NodeSocket implements MessageSocket {
  readonly #socket: WebSocket;
  #beat: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.once('close', () => clearInterval(this.#beat));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get isPaused(): boolean {
    return this.#socket.isPaused;
  }

  send(message: string | Uint8Array, sent?: (error?: Error | null) => void): void {
    this.#socket.send(message, sent);
  }

  listen({ message, closed }: SocketListener): void {
    this.#socket.on('message', (data: Buffer, isBinary: boolean) =>
      message(isBinary ? data : data.toString()),
    );
    this.#socket.once('close', closed);
  }

  pause(): void {
    this.#socket.pause();
    // Pings are not read meanwhile, and the service ends a socket that answers none.
    this.#beat ??= setInterval(() => {
      if (this.isOpen) this.#socket.pong();
    }, BEAT_MS).unref();
  }

  resume(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#socket.resume();
  }

  close(): void {
    this.#socket.close();
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

/** Resolves when the upgrade is accepted; rejects with the error of a refusal's answer. */
function opened(socket: WebSocket, baseUrl: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      // The first message may come with the upgrade itself, before the caller listens for it.
      socket.pause();
      resolve();
    });
    socket.on('error', (failure) => reject(errorFromFailure(failure, baseUrl)));
    socket.once('unexpected-response', (_, response: IncomingMessage) => {
      const refuse = (body: string) => {
        socket.terminate();
        const { statusCode: status = 0, headers } = response;
        reject(errorFromAnswer({ status, headers, body }, baseUrl));
      };
      readErrorText(response).then(refuse, () => refuse(''));
    });
  });
}
