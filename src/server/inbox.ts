import type { WebSocket } from 'ws';
import { ApiError } from '../contract/errors.js';

/** Above so many bytes that wait nothing more is read from the client. */
const MOST_BYTES = 1024 * 1024;
/** And above so many messages, for each costs more than its bytes. */
const MOST_MESSAGES = 16;

/** Messages of a socket: the first is waited for, later ones are kept until somebody takes them. */
export class Inbox {
  readonly #socket: WebSocket;
  readonly #waiting: [Buffer, boolean][] = [];
  #waitingBytes = 0;
  #take: ((data: Buffer, isBinary: boolean) => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      try {
        if (this.#take) this.#take(data, isBinary);
        else this.#keep(data, isBinary);
      } catch {
        socket.close(1007);
      }
    });
  }

  first(withinMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = () =>
        reject(new ApiError('request_timeout', 'The first message did not come in time.'));
      const timer = setTimeout(fail, withinMs);
      const take = ([data, isBinary]: [Buffer, boolean]) => {
        clearTimeout(timer);
        this.#take = undefined;
        if (isBinary) reject(new ApiError('invalid_request', 'The first message must be JSON.'));
        else resolve(data.toString());
      };
      const waiting = this.#waiting.shift();
      this.#waitingBytes -= waiting?.[0].length ?? 0;
      if (waiting) take(waiting);
      else this.#take = (data, isBinary) => take([data, isBinary]);
      this.#socket.once('close', () => {
        clearTimeout(timer);
        fail();
      });
    });
  }

  deliver(take: (data: Buffer, isBinary: boolean) => void): void {
    this.#take = take;
    this.#waitingBytes = 0;
    for (const [data, isBinary] of this.#waiting.splice(0)) take(data, isBinary);
    this.#socket.resume();
  }

  /** Nothing takes the messages yet: the client has to wait until the process is there. */
  #keep(data: Buffer, isBinary: boolean): void {
    this.#waiting.push([data, isBinary]);
    this.#waitingBytes += data.length;
    if (this.#waitingBytes > MOST_BYTES || this.#waiting.length > MOST_MESSAGES) {
      this.#socket.pause();
    }
  }
}
