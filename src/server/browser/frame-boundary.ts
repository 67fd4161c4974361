import { Transform, type TransformCallback } from 'node:stream';

/** Bytes of a frame's header without those of a long length and of a mask (RFC 6455, section 5.2). */
const SHORT_HEADER = 2;
const LONGEST_HEADER = 14;
const CLOSE = 0x8;
/** Beyond it a length is not exact; no frame is that long, so the end is never reached. */
const LONGEST = Number.MAX_SAFE_INTEGER;

/**
 * Passes the frames of a WebSocket on unchanged, and knows where one ends, so that another can be
 * put in between. Keeps at most the 14 bytes of a header.
 */
export class FrameBoundary extends Transform {
  readonly #header: number[] = [];
  #payload = 0;
  #hasClosed = false;

  /** True between two frames. */
  get isBetween(): boolean {
    return this.#header.length === 0 && this.#payload === 0;
  }

  /** True if a frame that closes the WebSocket has begun, after which there is none. */
  get hasClosed(): boolean {
    return this.#hasClosed;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#payload > 0) {
        const skipped = Math.min(this.#payload, chunk.length - at);
        this.#payload -= skipped;
        at += skipped;
      } else if (this.#header.length === 0 && chunk.length - at >= LONGEST_HEADER) {
        // A guest may send frames without end that have nothing but a header.
        at += this.#begin(chunk, at);
      } else {
        this.#header.push(chunk[at] ?? 0);
        at += 1;
        if (this.#header.length < headerBytes(this.#header[1])) continue;
        this.#begin(this.#header, 0);
        this.#header.length = 0;
      }
    }
    done(null, chunk);
  }

  /** Takes the length of the payload from the header at `at`. Returns the length of the header. */
  #begin(bytes: ArrayLike<number>, at: number): number {
    const second = bytes[at + 1] ?? 0;
    const length = second & 0x7f;
    if (length < 126) this.#payload = length;
    else {
      this.#payload = 0;
      const end = at + SHORT_HEADER + (length === 127 ? 8 : 2);
      for (let next = at + SHORT_HEADER; next < end; next += 1) {
        this.#payload = Math.min(LONGEST, this.#payload * 256 + (bytes[next] ?? 0));
      }
    }
    if (((bytes[at] ?? 0) & 0x0f) === CLOSE) this.#hasClosed = true;
    return headerBytes(second);
  }
}

/** Bytes of a header whose second byte is `second`; the shortest one while it is not there. */
function headerBytes(second = 0): number {
  const length = second & 0x7f;
  const lengthBytes = length === 127 ? 8 : length === 126 ? 2 : 0;
  return SHORT_HEADER + lengthBytes + (second & 0x80 ? 4 : 0);
}
