/** Stream ids of the Engine's attach format: https://docs.docker.com/reference/api/engine/ (attach). */
export const STDOUT = 1;
const STDERR = 2;

const HEADER = 8;

/**
 * Parses the Engine's attach format: frames of stream id, three zero bytes, length (32 bits,
 * big-endian), data. Passes data on as it arrives and never buffers a frame. Throws if the bytes
 * are not in that format.
 */
export class FrameReader {
  readonly #onData: (stream: number, data: Buffer) => void;
  #header: Buffer = Buffer.alloc(0);
  #stream = 0;
  #left = 0;

  constructor(onData: (stream: number, data: Buffer) => void) {
    this.#onData = onData;
  }

  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) {
        const taken = chunk.subarray(at, at + HEADER - this.#header.length);
        at += taken.length;
        this.#header = this.#header.length === 0 ? taken : Buffer.concat([this.#header, taken]);
        if (this.#header.length < HEADER) return;
        this.#begin();
        continue;
      }
      const data = chunk.subarray(at, at + this.#left);
      at += data.length;
      this.#left -= data.length;
      this.#onData(this.#stream, data);
    }
  }

  #begin(): void {
    this.#stream = this.#header.readUInt8(0);
    if (this.#stream !== STDOUT && this.#stream !== STDERR) {
      throw new Error(`the Engine sent a frame of unknown stream ${this.#stream}`);
    }
    this.#left = this.#header.readUInt32BE(4);
    this.#header = Buffer.alloc(0);
  }
}
