import { constants, createDeflate, type Deflate } from 'node:zlib';
import { encode } from '../screen/capture/encode.js';
import { area } from '../screen/model/damage.js';
import type { Region } from '../screen/types.js';
import {
  jpegRectangle,
  MOST_JPEG,
  rectangle,
  ViewEncoding,
  zlibRectangle,
} from './server-messages.js';

/** Rectangles of fewer pixels are always exact: typed text, a menu, the pointer. */
const SMALL = 128 * 128;
/** Longest time to send a rectangle's exact pixels to the viewer, in milliseconds. */
const PATIENCE_MS = 100;
/** Two large changes within this many milliseconds are motion. */
const MOTION_MS = 200;
const JPEG = { format: 'jpeg', quality: 80, scale: 1, cursor: false } as const;
/** Fewest bytes from which to measure the connection's speed or the compression ratio. */
const MEASURED = 20_000;

interface Encoded {
  readonly data: Buffer;
  /** Lossy: the pixels must be sent again when the screen is stable. */
  readonly rough: boolean;
}

/**
 * Encodes pixels as rectangles for one viewer. Exact by default, with one Zlib stream of level 1.
 * Large changes in quick succession (video, scrolling), and those that would take the viewer's
 * connection too long, become JPEG.
 */
export class Encoder {
  readonly #deflate: Deflate;
  readonly #now: () => number;
  readonly #packed: Buffer[] = [];
  #can: ReadonlySet<number> = new Set();
  #largeAt = Number.NEGATIVE_INFINITY;
  #inMotion = false;
  /** Bytes per millisecond that the viewer receives, and the compression ratio of exact pixels. */
  #speed = Number.POSITIVE_INFINITY;
  #ratio = 0.05;

  /** `now`: milliseconds of a clock that never jumps. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#deflate = createDeflate({ level: 1, chunkSize: 64 << 10 });
    this.#deflate.on('data', (chunk: Buffer) => this.#packed.push(chunk));
    this.#deflate.on('error', () => {});
  }

  /** Sets the encodings that the viewer supports. */
  accept(encodings: readonly number[]): void {
    this.#can = new Set(encodings);
  }

  knows(encoding: number): boolean {
    return this.#can.has(encoding);
  }

  /** Call before encoding a frame of `pixels` pixels. */
  begin(pixels: number): void {
    if (pixels < SMALL) {
      this.#inMotion = false;
      return;
    }
    const now = this.#now();
    this.#inMotion = now - this.#largeAt < MOTION_MS;
    this.#largeAt = now;
  }

  /** Call when the viewer has received a frame of `bytes` in `ms` and requests the next. */
  took(bytes: number, ms: number): void {
    if (bytes < MEASURED) return;
    const speed = bytes / Math.max(1, ms);
    this.#speed = Number.isFinite(this.#speed) ? 0.7 * this.#speed + 0.3 * speed : speed;
  }

  /** Calls must not overlap, because they share one Zlib stream. */
  async encode(region: Region, pixels: Buffer, fidelity: 'any' | 'exact'): Promise<Encoded> {
    if (fidelity === 'any' && this.#wantsJpeg(region)) {
      const { data } = await encode(pixels, region, JPEG);
      if (data.length < MOST_JPEG) return { data: jpegRectangle(region, data), rough: true };
    }
    if (!this.knows(ViewEncoding.zlib)) {
      return { data: rectangle(region, ViewEncoding.raw, pixels), rough: false };
    }
    const packed = await this.#pack(pixels);
    if (pixels.length > MEASURED) {
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
      const fail = () => reject(new Error('The viewer disconnected.'));
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
