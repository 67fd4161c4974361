import { Duplex } from 'node:stream';
import type { ViewEvent, ViewMode } from '../../contract/sockets/view.js';
import type { Client } from '../client.js';
import { ServiceError, ServiceUnreachableError } from '../errors.js';
import { type ComputerAddress, computerParameters } from '../http/address.js';
import { type MessageSocket, sendBytes } from '../sockets/message-socket.js';

/** Path and ticket of a link to the live view. */
const LINK = /(\/view\/cmp_[0-9a-z]+)#(vt_[0-9a-z]+)$/;

/**
 * A connection to the live view of a computer as a Node.js stream of RFB, with backpressure; the first
 * bytes to read are the service's version. `signal` ends it. Texts that are copied in the computer are
 * messages of RFB in it.
 */
export async function openNodeView(
  client: Client,
  address: ComputerAddress,
  { mode, signal }: { readonly mode: ViewMode; readonly signal: AbortSignal },
): Promise<Duplex> {
  const params = computerParameters(address);
  const { url } = await client.request('view', { params, body: { mode }, signal });
  const [, path, ticket] = LINK.exec(url) ?? [];
  if (path === undefined)
    throw new ServiceUnreachableError(client.baseUrl, 'the answer is no link');
  return client.socket(`${path}/socket`, { signal }, async (socket) => {
    const view = new View(socket, client.baseUrl);
    socket.send(JSON.stringify({ ticket }));
    await view.ready;
    return view;
  });
}

/** Messages of the service up to ServerInit; each is whole, so that others can be put between them. */
const HANDSHAKE = 4;

/** ServerCutText, message 3 (RFB 7.6.4), which has Latin-1 only: other characters become question marks. */
function cutText(text: string): Buffer {
  const body = Buffer.from(text.replaceAll(/[^\0-\xff]/gu, '?'), 'latin1');
  const head = Buffer.alloc(8);
  head.writeUInt8(3, 0);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

class View extends Duplex {
  /** Rejects with the service's error if the computer cannot be shown. */
  readonly ready: Promise<void>;
  readonly #socket: MessageSocket;

  constructor(socket: MessageSocket, baseUrl: string) {
    super();
    this.#socket = socket;
    let failure: Error | undefined;
    let received = 0;
    this.ready = new Promise((resolve, reject) => {
      socket.listen({
        message: (data) => {
          if (typeof data !== 'string') {
            received += 1;
            if (!this.push(data)) socket.pause();
            return;
          }
          const event = parse(data);
          if (event.type === 'ready') resolve();
          if (event.type === 'clipboard' && received >= HANDSHAKE) this.push(cutText(event.text));
          if (event.type !== 'closed') return;
          failure = new ServiceError(event.code, event.reason, { baseUrl });
        },
        closed: () => {
          failure ??= new ServiceUnreachableError(baseUrl, 'the connection was lost');
          reject(failure);
          if (this.writableFinished) this.push(null);
          else this.destroy(failure);
        },
      });
    });
    this.ready.catch(() => undefined);
    // Reported by `ready` until the caller has the stream.
    this.on('error', () => undefined);
    socket.resume();
  }

  override _read(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    if (this.#socket.isOpen) sendBytes(this.#socket, chunk, [], done);
    else done();
  }

  override _final(done: () => void): void {
    this.#socket.close();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.terminate();
    done(error);
  }
}

function parse(text: string): ViewEvent {
  try {
    return JSON.parse(text) as ViewEvent;
  } catch {
    const reason = 'the service sent an unusable message';
    return { type: 'closed', code: 'internal', reason };
  }
}
