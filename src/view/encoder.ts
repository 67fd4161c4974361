import { constants, createDeflate, type Deflate } from 'node:zlib';
import { encode } from '../screen/encode.js';
import type { Region } from '../screen/types.js';
import { area } from './damage.js';
import {
  jpegRectangle,
  MOST_JPEG,
  rectangle,
  ViewEncoding,
  zlibRectangle,
} from './server-messages.js';

/** Rectangles of fewer pixels are exact in any case: text that is typed, a menu, a pointer. */
const SMALL = 128 * 128;
/** Longest time that a frame's exact pixels may take on the viewer's line, milliseconds. */
const PATIENCE_MS = 100;
/** Two large changes within this many milliseconds are motion. */
const MOTION_MS = 200;
const JPEG_QUALITY = 80;
/** Bytes from which a frame tells something of the line's speed. */
const TELLING = 20_000;

interface Encoded {
  readonly data: Buffer;
  /** Its pixels are approximate: they have to be sent again when the screen is at rest. */
  readonly rough: boolean;
}

/**
 * Turns pixels into rectangles of one viewer. Exact by default, with one Zlib stream of level 1;
 * large changes that follow each other closely (film, scrolling), or that would take the viewer's
 * line too long, become JPEG.
 */
export class Encoder {
  readonly #deflate: Deflate;
  readonly #packed: Buffer[] = [];
  #can: ReadonlySet<number> = new Set();
  #largeAt = Number.NEGATIVE_INFINITY;
  #inMotion = false;
  /** Bytes a millisecond that the viewer takes, and how much of exact pixels is left when packed. */
  #speed = Number.POSITIVE_INFINITY;
  #ratio = 0.05;

  constructor() {
    this.#deflate = createDeflate({ level: 1, chunkSize: 64 << 10 });
    this.#deflate.on('data', (chunk: Buffer) => this.#packed.push(chunk));
    this.#deflate.on('error', () => {});
  }

  /** The encodings that the viewer announced. */
  accept(encodings: readonly number[]): void {
    this.#can = new Set(encodings);
  }

  knows(encoding: number): boolean {
    return this.#can.has(encoding);
  }

  /** A frame of so many pixels in all begins. */
  begin(pixels: number): void {
    if (pixels < SMALL) {
      this.#inMotion = false;
      return;
    }
    const now = performance.now();
    this.#inMotion = now - this.#largeAt < MOTION_MS;
    this.#largeAt = now;
  }

  /** The viewer took a frame of `bytes` in `ms`, and asked for the next. */
  took(bytes: number, ms: number): void {
    if (bytes < TELLING) return;
    const speed = bytes / Math.max(1, ms);
    this.#speed = Number.isFinite(this.#speed) ? 0.7 * this.#speed + 0.3 * speed : speed;
  }

  /** Must not be called before the last call has resolved: the stream has an order. */
  async encode(region: Region, pixels: Buffer, fidelity: 'any' | 'exact'): Promise<Encoded> {
    if (fidelity === 'any' && this.#wantsJpeg(region)) {
      const { data } = await encode(pixels, region, {
        format: 'jpeg',
        quality: JPEG_QUALITY,
        scale: 1,
        cursor: false,
      });
      if (data.length < MOST_JPEG) return { data: jpegRectangle(region, data), rough: true };
    }
    if (!this.knows(ViewEncoding.zlib)) {
      return { data: rectangle(region, ViewEncoding.raw, pixels), rough: false };
    }
    const packed = await this.#pack(pixels);
    if (pixels.length > TELLING) {
      this.#ratio = 0.7 * this.#ratio + 0.3 * (packed.length / pixels.length);
    }
    return { data: zlibRectangle(region, packed), rough: false };
  }

  close(): void {
    this.#deflate.destroy();
  }

  #wantsJpeg(region: Region): boolean {
    if (!this.knows(ViewEncoding.tight) || area(region) < SMALL) return false;
    const exactMs = (area(region) * 4 * this.#ratio) / this.#speed;
    return this.#inMotion || exactMs > PATIENCE_MS;
  }

  #pack(pixels: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('the viewer has left'));
      if (this.#deflate.destroyed) return fail();
      this.#deflate.once('close', fail);
      this.#deflate.write(pixels);
      this.#deflate.flush(constants.Z_SYNC_FLUSH, () => {
        this.#deflate.off('close', fail);
        resolve(Buffer.concat(this.#packed.splice(0)));
      });
    });
  }
}
