import { type Endable, toStream } from '../http/read-body.js';

/**
 * An open file of a computer: read its bytes in a loop, or as a web stream. Leave the loop or cancel
 * the stream to stop early; a file that is not read at all has to be closed.
 */
export class RemoteFile implements AsyncIterable<Uint8Array> {
  /** Size in bytes; undefined for files without one, as in /proc. */
  readonly size: number | undefined;
  /** Permission bits. */
  readonly mode: number | undefined;
  readonly #body: Endable;

  constructor(body: Endable, size: number | undefined, mode: number | undefined) {
    this.#body = body;
    this.size = size;
    this.mode = mode;
  }

  /** The bytes as a web stream. */
  get stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return toStream(this.#body);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#body[Symbol.asyncIterator]();
  }

  /** Ends the transfer. */
  async close(): Promise<void> {
    this.#body.destroy?.();
  }
}
