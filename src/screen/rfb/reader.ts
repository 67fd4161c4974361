import type { Readable } from 'node:stream';
import { type Deferred, deferred } from '../../lib/async/deferred.js';
import { connectionLost } from '../errors.js';

/** Bytes held in memory before the stream is paused. */
const HIGH_WATER = 1 << 20;
/** Shorter pieces are copied into a block: a buffer of one byte takes more than 100. */
const SMALL = 4096;
const BLOCK = 16_384;
const EMPTY = Buffer.alloc(0);

/**
 * Reads a stream in pieces of known length. Buffers about 1 MiB at most and leaves the rest in
 * the stream. Returned buffers are views that later reads do not change. Every read rejects once
 * the stream has ended.
 */
export class ByteReader {
  readonly #stream: Readable;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #block: Buffer = EMPTY;
  #blockUsed = 0;
  #waiting: Deferred<void> | undefined;
  #ended: Error | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('data', this.#onData);
    stream.on('error', this.#onError);
    stream.on('end', this.#onEnd);
    stream.on('close', this.#onEnd);
  }

  /** Exactly `length` bytes; `length` must be bounded by the caller. */
  async read(length: number): Promise<Buffer> {
    while (this.#length < length) await this.#more();
    return this.#take(length);
  }

  /** Whatever is buffered: at least one byte and at most `most`. */
  async some(most: number): Promise<Buffer> {
    while (this.#length === 0) await this.#more();
    return this.#take(Math.min(most, this.#chunks[0]?.length ?? 0));
  }

  /** At least `length` buffered bytes, which remain to be read. */
  async peek(length: number): Promise<Buffer> {
    while (this.#length < length) await this.#more();
    const [first = EMPTY] = this.#chunks;
    if (first.length >= length) return first;
    const joined = this.#take(length);
    this.#chunks.unshift(joined);
    this.#length += length;
    return joined;
  }

  /** Discards bytes that `peek` has returned; none are left after `fail`. */
  drop(length: number): void {
    const present = Math.min(length, this.#length);
    if (present > 0) this.#take(present);
  }

  /** Reads and discards `length` bytes. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.some(left)).length;
  }

  async u8(): Promise<number> {
    return (await this.read(1)).readUInt8();
  }

  async u32(): Promise<number> {
    return (await this.read(4)).readUInt32BE();
  }

  /** Rejects pending and later reads with `error`. */
  readonly fail = (error: Error): void => {
    this.#chunks.length = 0;
    this.#length = 0;
    this.#end(error);
  };

  /** Buffered bytes can still be read: a server that refuses sends a reason and closes. */
  readonly #onEnd = () => this.#end(connectionLost());
  readonly #onError = (cause: Error) => this.#end(connectionLost(cause));

  #end(error: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  readonly #onData = (chunk: Buffer) => {
    if (this.#ended !== undefined || chunk.length === 0) return;
    this.#keep(chunk);
    this.#length += chunk.length;
    if (this.#length >= HIGH_WATER) this.#stream.pause();
    this.#waiting?.resolve();
    this.#waiting = undefined;
  };

  #keep(chunk: Buffer): void {
    if (chunk.length >= SMALL) return void this.#chunks.push(chunk);
    if (this.#blockUsed + chunk.length > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK);
      this.#blockUsed = 0;
    }
    const block = this.#block;
    const from = this.#blockUsed;
    this.#blockUsed += chunk.copy(block, from);
    const last = this.#chunks.at(-1);
    if (last?.buffer === block.buffer && last.byteOffset + last.length === from) {
      this.#chunks[this.#chunks.length - 1] = block.subarray(last.byteOffset, this.#blockUsed);
    } else this.#chunks.push(block.subarray(from, this.#blockUsed));
  }

  #more(): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#stream.resume();
    this.#waiting ??= deferred<void>();
    return this.#waiting.promise;
  }

  #take(length: number): Buffer {
    this.#length -= length;
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= length) {
      if (first.length === length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    const joined = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length; ) {
      const chunk = this.#chunks.shift() ?? EMPTY;
      const used = chunk.copy(joined, filled);
      if (used < chunk.length) this.#chunks.unshift(chunk.subarray(used));
      filled += used;
    }
    return joined;
  }
}
