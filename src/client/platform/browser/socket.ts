import { keyProtocol, SOCKET_PROTOCOL } from '../../../contract/sockets/protocols.js';
import { onAbort } from '../../../lib/async/abort.js';
import { ServiceUnreachableError } from '../../errors.js';
import { errorFromAnswer, errorFromFailure, readErrorText } from '../../http/failures.js';
import type { Endpoint } from '../../http/transport.js';
import type { MessageSocket, SocketListener } from '../../sockets/message-socket.js';
import { openFetch } from './fetch.js';

/** What may wait while the reader is slow: browsers cannot make a service wait. */
const MOST_WAITING = 64 * 1024 * 1024;
/** Bytes in the browser's own buffer before a writer has to wait. */
const MOST_UNSENT = 1024 * 1024;
const UNSENT_MS = 10;
/** A refused upgrade gives no reason, so the same path is asked without one. */
const ASK_MS = 10_000;

/** The browser's WebSocket, as far as it is used. */
interface BrowserWebSocket {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string | Uint8Array): void;
  close(): void;
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { readonly data: string | ArrayBuffer }) => void) | null;
}
declare const WebSocket: new (url: string, protocols: readonly string[]) => BrowserWebSocket;
const OPEN = 1;

/** Opens a WebSocket at `path` (with its query) below the base URL; an abort ends it. */
export async function openBrowserSocket(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal,
): Promise<MessageSocket> {
  signal.throwIfAborted();
  const base = endpoint.url.href.replace(/\/$/, '');
  const key = endpoint.headers.authorization?.replace(/^Bearer /, '');
  // A page cannot set the header Authorization of a WebSocket.
  const protocols = [SOCKET_PROTOCOL, ...(key === undefined ? [] : [keyProtocol(key)])];
  const socket = new WebSocket(`${base.replace(/^http/, 'ws')}${path}`, protocols);
  socket.binaryType = 'arraybuffer';
  const waiting = new WaitingSocket(socket);
  const dispose = onAbort(signal, () => socket.close());
  await new Promise<void>((resolve) => {
    socket.onopen = () => resolve();
    waiting.whenClosed(() => {
      dispose();
      resolve();
    });
  });
  if (waiting.isOpen) return waiting;
  signal.throwIfAborted();
  throw await refusal(endpoint, path, signal);
}

/** Why the service did not accept an upgrade. */
async function refusal({ url, headers }: Endpoint, path: string, signal: AbortSignal) {
  const { authorization } = headers;
  const prefix = url.pathname.replace(/\/$/, '');
  const answer = await openFetch(url.origin)
    .request({
      method: 'GET',
      path: `${prefix}${path}`,
      body: null,
      signal,
      headers: { accept: 'application/json', ...(authorization && { authorization }) },
      headersTimeout: ASK_MS,
      bodyTimeout: ASK_MS,
    })
    .catch((failure: unknown) => {
      throw errorFromFailure(failure, url.href);
    });
  if (answer.statusCode === 426) {
    return new ServiceUnreachableError(url.href, 'the WebSocket was refused');
  }
  const body = await readErrorText(answer.body);
  return errorFromAnswer({ status: answer.statusCode, headers: answer.headers, body }, url.href);
}

/** Keeps messages while it is paused. */
class WaitingSocket implements MessageSocket {
  readonly #socket: BrowserWebSocket;
  #listener: SocketListener | undefined;
  #closed: () => void = () => undefined;
  #waiting: (string | Uint8Array)[] = [];
  #waitingBytes = 0;
  #isPaused = true;
  #isClosed = false;

  constructor(socket: BrowserWebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = () => {
      this.#isClosed = true;
      this.#closed();
      this.#flush();
    };
  }

  get isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  whenClosed(closed: () => void): void {
    this.#closed = closed;
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
  }

  send(message: string | Uint8Array, sent: (error?: Error | null) => void = () => undefined): void {
    this.#socket.send(message);
    const check = () => {
      const isReady = !this.isOpen || this.#socket.bufferedAmount <= MOST_UNSENT;
      if (isReady) sent();
      else setTimeout(check, UNSENT_MS);
    };
    check();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#flush();
  }

  close(): void {
    this.#socket.close();
  }

  terminate(): void {
    this.#waiting = [];
    this.#isPaused = false;
    this.#socket.close();
  }

  #take(data: string | ArrayBuffer): void {
    this.#waiting.push(typeof data === 'string' ? data : new Uint8Array(data));
    this.#waitingBytes += typeof data === 'string' ? data.length : data.byteLength;
    this.#flush();
    // The reader gets a lost connection.
    if (this.#waitingBytes > MOST_WAITING) this.terminate();
  }

  #flush(): void {
    while (!this.#isPaused && this.#listener !== undefined) {
      const message = this.#waiting.shift();
      if (message === undefined) {
        this.#waitingBytes = 0;
        if (this.#isClosed) {
          this.#listener.closed();
          this.#listener = undefined;
        }
        return;
      }
      this.#waitingBytes -= typeof message === 'string' ? message.length : message.byteLength;
      this.#listener.message(message);
    }
  }
}
