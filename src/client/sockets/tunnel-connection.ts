import type { TunnelMessage } from '../../contract/types/index.js';
import { ServiceError, ServiceUnreachableError } from '../errors.js';
import { type MessageSocket, type Outlet, sendBytes } from './message-socket.js';

/** How long the service may take to close after both sides have ended. */
const CLOSE_MS = 10_000;

interface TunnelOutlet extends Outlet {
  /** The connection is closed; with an error if the other side had not ended. */
  closed(error: Error | undefined): void;
}

/** The messages of a connection to a port, whatever kind of streams it has for its user. */
export class TunnelConnection {
  /** Rejects with the service's error when nothing listens there. */
  readonly opened: Promise<void>;
  readonly #socket: MessageSocket;
  #isClosed = false;

  constructor(socket: MessageSocket, baseUrl: string, outlet: TunnelOutlet) {
    this.#socket = socket;
    let hasEnded = false;
    let failure: Error | undefined;
    this.opened = new Promise((resolve, reject) => {
      socket.listen({
        message: (data) => {
          if (typeof data !== 'string') {
            if (!outlet.push(data)) socket.pause();
            return;
          }
          const message = parse(data);
          if (message.type === 'open') resolve();
          else if (message.type === 'end') {
            hasEnded = true;
            outlet.end();
          } else {
            const { code, error, remedy } = message;
            failure = new ServiceError(code, error, { remedy, baseUrl });
          }
        },
        closed: () => {
          this.#isClosed = true;
          const lost = failure ?? new ServiceUnreachableError(baseUrl, 'the connection was lost');
          reject(lost);
          outlet.closed(hasEnded ? undefined : lost);
        },
      });
    });
    this.opened.catch(() => undefined);
    socket.resume();
  }

  /** The reader wants more. */
  wanted(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  write(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    if (this.#socket.isOpen) sendBytes(this.#socket, bytes, [], done);
    else done();
  }

  endInput(): void {
    if (this.#socket.isOpen) this.#socket.send('{"type":"end"}');
  }

  /** Closes it when both sides have ended: the service does, and closing first could lose data. */
  closeSoon(): void {
    const end = () => {
      if (!this.#isClosed) this.#socket.terminate();
    };
    const timer: unknown = setTimeout(end, CLOSE_MS);
    // A Node.js process need not wait for it.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
      (timer as { unref(): void }).unref();
    }
  }

  close(): void {
    this.#socket.terminate();
  }
}

function parse(text: string): TunnelMessage {
  try {
    return JSON.parse(text) as TunnelMessage;
  } catch {
    return { type: 'error', code: 'internal', error: 'the service sent an unusable message' };
  }
}
