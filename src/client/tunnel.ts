import { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { TUNNEL_PATHS } from '../contract/routes.js';
import type { TunnelMessage } from '../contract/types/index.js';
import { ServiceError, ServiceUnreachableError } from './errors.js';
import { buildPath, type ComputerAddress, computerParameters } from './http/address.js';
import type { Endpoint } from './http/endpoint.js';
import { openSocket, sendBytes } from './http/socket.js';

/** How long the service may take to close after both sides have ended. */
const CLOSE_MS = 10_000;

/**
 * A connection to a port of a computer, with backpressure; each direction can be ended separately.
 * Rejects with the service's error when nothing listens there.
 */
export async function openTunnel(
  endpoint: Endpoint,
  address: ComputerAddress,
  port: number,
  signal?: AbortSignal,
): Promise<Duplex> {
  const path = buildPath(TUNNEL_PATHS, computerParameters(address));
  const socket = await openSocket(endpoint, `${path}?port=${port}`, signal);
  const tunnel = new Tunnel(socket, endpoint.url.href);
  await tunnel.opened;
  return tunnel;
}

class Tunnel extends Duplex {
  readonly opened: Promise<void>;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, baseUrl: string) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    let hasEnded = false;
    let failure: Error | undefined;
    this.opened = new Promise((resolve, reject) => {
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        if (isBinary) {
          if (!this.push(data)) socket.pause();
          return;
        }
        const message = parse(data.toString());
        if (message.type === 'open') resolve();
        else if (message.type === 'end') {
          hasEnded = true;
          this.push(null);
        } else {
          const { code, error, remedy } = message;
          failure = new ServiceError(code, error, { remedy, baseUrl });
        }
      });
      socket.once('close', () => {
        const lost = failure ?? new ServiceUnreachableError(baseUrl, 'the connection was lost');
        reject(lost);
        if (!hasEnded) this.destroy(lost);
        else if (!this.writableFinished) this.destroy();
      });
    });
    socket.resume();
    this.opened.catch(() => undefined);
    // Reported by `opened` until the caller has the stream.
    this.on('error', () => undefined);
  }

  override _read(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    if (this.#socket.readyState !== WebSocket.OPEN) return done();
    sendBytes(this.#socket, chunk, Buffer.alloc(0), done);
  }

  override _final(done: () => void): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('{"type":"end"}');
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // The service closes when both sides have ended; closing first could lose data in transit.
    if (this.readableEnded && this.writableFinished) {
      const timer = setTimeout(() => this.#socket.terminate(), CLOSE_MS);
      timer.unref();
      this.#socket.once('close', () => clearTimeout(timer));
    } else this.#socket.terminate();
    done(error);
  }
}

function parse(text: string): TunnelMessage {
  try {
    return JSON.parse(text) as TunnelMessage;
  } catch {
    return { type: 'error', code: 'internal', error: 'the service sent an unusable message' };
  }
}
