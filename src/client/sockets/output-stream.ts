import type { Outlet } from './message-socket.js';
import { UNREAD_BYTES } from './process-connection.js';

/** Bytes that wait for a reader before the sender has to. */
const WAITING_BYTES = 64 * 1024;

/** An outlet that is read as a web stream. */
export class OutputStream implements Outlet {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;

  /** `wanted` is called when the reader wants more, `cancelled` when it wants nothing any more. */
  constructor(wanted: () => void, cancelled: () => void = () => undefined) {
    this.stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => wanted(),
        cancel: () => {
          this.#controller = undefined;
          wanted();
          cancelled();
        },
      },
      { highWaterMark: WAITING_BYTES, size: (bytes) => bytes.byteLength },
    );
  }

  push(bytes: Uint8Array): boolean {
    if (this.#controller === undefined) return true;
    // Bytes of a socket are never in shared memory.
    this.#controller.enqueue(bytes as Uint8Array<ArrayBuffer>);
    const room = this.#controller.desiredSize ?? 0;
    // One that nobody reads does not stop the other output.
    return room > 0 || (!this.stream.locked && WAITING_BYTES - room < UNREAD_BYTES);
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  fail(error: Error): void {
    this.#controller?.error(error);
    this.#controller = undefined;
  }
}
