import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';

/** Bytes and messages that wait for a receiver, above which the client is paused. */
const MOST_BYTES = 256 * 1024;
const MOST_MESSAGES = 16;

/** A client's messages: the first one, and the others once there is a receiver for them. */
export class Messages {
  readonly #socket: WebSocket;
  readonly #waiting: [Buffer, boolean][] = [];
  #waitingBytes = 0;
  #take: ((data: Buffer, isBinary: boolean) => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (this.#take) this.#take(data, isBinary);
      else this.#keep(data, isBinary);
    });
  }

  /** The first message, a text. */
  first(withinMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = () =>
        reject(new ApiError('request_timeout', 'The first message did not come in time.'));
      const timer = setTimeout(fail, withinMs);
      this.#take = (data, isBinary) => {
        clearTimeout(timer);
        this.#take = undefined;
        if (isBinary) reject(new ApiError('invalid_request', 'The first message must be JSON.'));
        else resolve(data.toString());
      };
      this.#socket.once('close', () => {
        clearTimeout(timer);
        fail();
      });
    });
  }

  /** Calls `take` with all further messages, and `refuse` with what it throws for one. */
  deliver(take: (data: Buffer, isBinary: boolean) => void, refuse: (error: unknown) => void): void {
    this.#take = (data, isBinary) => {
      try {
        take(data, isBinary);
      } catch (error) {
        refuse(error);
      }
    };
    for (const [data, isBinary] of this.#waiting.splice(0)) this.#take(data, isBinary);
    this.#socket.resume();
  }

  #keep(data: Buffer, isBinary: boolean): void {
    this.#waiting.push([data, isBinary]);
    this.#waitingBytes += data.length;
    if (this.#waitingBytes > MOST_BYTES || this.#waiting.length > MOST_MESSAGES) {
      this.#socket.pause();
    }
  }
}
