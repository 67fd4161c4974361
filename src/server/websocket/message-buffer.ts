import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import { OVERHEAD } from './limit-messages.js';

/** Buffered bytes above which the client is paused. */
const MOST_BYTES = 256 * 1024;
/** Buffered messages above which the client is paused: each has an overhead. */
const MOST_MESSAGES = 16;

/** Buffers a socket's messages until they are consumed. */
export class MessageBuffer {
  readonly #socket: WebSocket;
  readonly #hold: (bytes: number) => void;
  readonly #waiting: [Buffer, boolean][] = [];
  #waitingBytes = 0;
  #take: ((data: Buffer, isBinary: boolean) => void) | undefined;

  /** `hold` counts buffered bytes, and consumed ones as negative. */
  constructor(socket: WebSocket, hold: (bytes: number) => void) {
    this.#socket = socket;
    this.#hold = hold;
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
      if (waiting !== undefined) this.#count(-waiting[0].length, -1);
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
    this.#count(-this.#waitingBytes, -this.#waiting.length);
    for (const [data, isBinary] of this.#waiting.splice(0)) take(data, isBinary);
    this.#socket.resume();
  }

  /** Buffers a message until the process has started. */
  #keep(data: Buffer, isBinary: boolean): void {
    this.#waiting.push([data, isBinary]);
    this.#count(data.length, 1);
    if (this.#waitingBytes > MOST_BYTES || this.#waiting.length > MOST_MESSAGES) {
      this.#socket.pause();
    }
  }

  #count(bytes: number, messages: number): void {
    this.#waitingBytes += bytes;
    this.#hold(bytes + messages * OVERHEAD);
  }
}
