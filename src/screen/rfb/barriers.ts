import { FenceFlag } from './constants.js';
import * as messages from './messages.js';

interface BarrierOptions {
  /** The encodings announced to the server. */
  readonly encodings: readonly number[];
  send(message: Buffer): void;
}

/**
 * Tells when the server has processed everything sent before a point.
 *
 * Uses a fence (RFB 7.5.7; BlockBefore only, because TigerVNC delays the answer to SyncNext until
 * the next message), or with QEMU its answer to SetEncodings, which confirms the extended key event
 * each time.
 */
export class Barriers {
  readonly #encodings: readonly number[];
  readonly #send: (message: Buffer) => void;
  readonly #fences = new Map<number, () => void>();
  readonly #echoes: (() => void)[] = [];
  #lastFence = 0;

  constructor({ encodings, send }: BarrierOptions) {
    this.#encodings = encodings;
    this.#send = send;
  }

  /** Calls `then` when the server answers the fence sent here. */
  fence(then: () => void): void {
    this.#lastFence = (this.#lastFence + 1) >>> 0;
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(this.#lastFence);
    this.#fences.set(this.#lastFence, then);
    this.#send(messages.fence((FenceFlag.request | FenceFlag.blockBefore) >>> 0, payload));
  }

  /** Calls `then` when the server confirms the encodings sent here. */
  echo(then: () => void): void {
    this.#echoes.push(then);
    this.#send(messages.setEncodings(this.#encodings));
  }

  /** The server confirmed its encodings. */
  onEcho(): void {
    this.#echoes.shift()?.();
  }

  /** Answers a request at once: messages are processed in order, which satisfies every flag. */
  onFence(flags: number, payload: Buffer): void {
    if ((flags & FenceFlag.request) !== 0) {
      const known = FenceFlag.blockBefore | FenceFlag.blockAfter | FenceFlag.syncNext;
      this.#send(messages.fence(flags & known, payload));
      return;
    }
    if (payload.length !== 4) return;
    const id = payload.readUInt32BE();
    const then = this.#fences.get(id);
    this.#fences.delete(id);
    then?.();
  }

  clear(): void {
    this.#fences.clear();
    this.#echoes.length = 0;
  }
}
