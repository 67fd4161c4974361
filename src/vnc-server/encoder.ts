import { constants, createDeflate, type Deflate } from 'node:zlib';
import { encode } from '../screen/capture/encode.js';
import { area } from '../screen/model/damage.js';
import { PIXEL } from '../screen/rfb/constants.js';
import type { Region } from '../screen/types.js';
import {
  jpegRectangle,
  LEAST_PACKED,
  MOST_TIGHT,
  MOST_TILE,
  type PixelOrder,
  packedRectangle,
  plainRectangle,
  RED_FIRST,
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
/** Quality for a connection below so many bytes per millisecond. */
const SLOW = { speed: 1_000, quality: 60 };
/** Compression ratio of exact pixels, such as those of a terminal, up to which JPEG takes more work. */
const PLAIN = 0.06;
/** Bytes that a new connection carries in its first round trip and a half (RFC 6928). */
const FIRST_BYTES = 30_000;
/** A viewer that answers within so many milliseconds may be on this host, and busy. */
const NEAR_MS = 30;
/** Fewest bytes from which to measure the connection's speed or the compression ratio. */
const MEASURED = 20_000;

interface Encoded {
  readonly data: Buffer;
  /** Lossy: the pixels must be sent again when the screen is stable. */
  readonly rough: boolean;
}

/** Encodings with a Zlib stream. */
type Packing = typeof ViewEncoding.zlib | typeof ViewEncoding.tight;

/**
 * Encodes pixels as rectangles for one viewer. Exact by default, with one Zlib stream of level 1, in
 * the encoding Zlib or, for the many native viewers without it, Tight.
 * Large changes in quick succession (video, scrolling), and those that would take the viewer's
 * connection too long, become JPEG.
 */
export class Encoder {
  readonly #deflate: Deflate;
  readonly #now: () => number;
  readonly #packed: Buffer[] = [];
  #can: ReadonlySet<number> = new Set();
  #order: PixelOrder = RED_FIRST;
  /** The encoding that the Zlib stream belongs to. */
  #packs: Packing | undefined;
  #largeAt = Number.NEGATIVE_INFINITY;
  #inMotion = false;
  /** Bytes per millisecond that the viewer receives, and the compression ratio of exact pixels. */
  #speed = Number.POSITIVE_INFINITY;
  #isTimed = false;
  #ratio = 0.05;
  #isMeasured = false;

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

  /** Sets the order of the colours in the viewer's pixels. */
  order(order: PixelOrder): void {
    this.#order = order;
  }

  /** The same regions, in tiles that this encoder can encode. */
  tiles(regions: readonly Region[]): readonly Region[] {
    const { zlib, tight } = ViewEncoding;
    return this.knows(zlib) || !this.knows(tight) ? regions : regions.flatMap(tilesOf);
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

  /** Call before the first frame, with the time in milliseconds that the viewer takes to answer. */
  answered(ms: number): void {
    if (ms > NEAR_MS) this.#speed = FIRST_BYTES / ms;
  }

  /** Call when the viewer has received a frame of `bytes` in `ms` and requests the next. */
  took(bytes: number, ms: number): void {
    if (bytes < MEASURED) return;
    const speed = bytes / Math.max(1, ms);
    this.#speed = this.#isTimed ? 0.7 * this.#speed + 0.3 * speed : speed;
    this.#isTimed = true;
  }

  /** Calls must not overlap, because they share one Zlib stream. */
  async encode(region: Region, pixels: Buffer, fidelity: 'any' | 'exact'): Promise<Encoded> {
    if (fidelity === 'any' && this.#wantsJpeg(region)) {
      const quality = this.#speed < SLOW.speed ? SLOW.quality : JPEG.quality;
      const { data } = await encode(pixels, region, { ...JPEG, quality });
      if (data.length < MOST_TIGHT) return { data: jpegRectangle(region, data), rough: true };
    }
    return { data: await this.#exact(region, pixels), rough: false };
  }

  async #exact(region: Region, pixels: Buffer): Promise<Buffer> {
    const packing = this.#packing;
    if (packing === ViewEncoding.tight) {
      // Of this format, Tight has three bytes a pixel, red first in any order.
      const colours = coloursOf(pixels);
      if (colours.length < LEAST_PACKED) return plainRectangle(region, colours);
      return packedRectangle(region, await this.#pack(colours));
    }
    const ordered = inOrder(pixels, this.#order);
    if (packing === undefined) return rectangle(region, ViewEncoding.raw, ordered);
    return zlibRectangle(region, await this.#pack(ordered));
  }

  /** Undefined if the Zlib stream belongs to an encoding that the viewer has given up. */
  get #packing(): Packing | undefined {
    const { zlib, tight } = ViewEncoding;
    const wanted = this.knows(zlib) ? zlib : this.knows(tight) ? tight : undefined;
    if (wanted === undefined) return undefined;
    this.#packs ??= wanted;
    return this.#packs === wanted ? wanted : undefined;
  }

  close(): void {
    this.#deflate.destroy();
  }

  #wantsJpeg(region: Region): boolean {
    if (!this.knows(ViewEncoding.tight) || area(region) < SMALL) return false;
    const exactMs = (area(region) * 4 * this.#ratio) / this.#speed;
    return (this.#inMotion && this.#ratio > PLAIN) || exactMs > PATIENCE_MS;
  }

  async #pack(pixels: Buffer): Promise<Buffer> {
    const packed = await this.#flushed(pixels);
    if (pixels.length > MEASURED) {
      const ratio = packed.length / pixels.length;
      this.#ratio = this.#isMeasured ? (this.#ratio + ratio) / 2 : ratio;
      this.#isMeasured = true;
    }
    return packed;
  }

  #flushed(pixels: Buffer): Promise<Buffer> {
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

function tilesOf({ x, y, width, height }: Region): Region[] {
  const tiles: Region[] = [];
  for (let top = 0; top < height; top += MOST_TILE.height) {
    for (let left = 0; left < width; left += MOST_TILE.width) {
      tiles.push({
        x: x + left,
        y: y + top,
        width: Math.min(MOST_TILE.width, width - left),
        height: Math.min(MOST_TILE.height, height - top),
      });
    }
  }
  return tiles;
}

/** Pixels without their fourth byte. */
function coloursOf(pixels: Buffer): Buffer {
  const colours = Buffer.allocUnsafe((pixels.length / PIXEL) * 3);
  for (let from = 0, to = 0; from < pixels.length; from += PIXEL, to += 3) {
    colours[to] = pixels[from] ?? 0;
    colours[to + 1] = pixels[from + 1] ?? 0;
    colours[to + 2] = pixels[from + 2] ?? 0;
  }
  return colours;
}

function inOrder(pixels: Buffer, order: PixelOrder): Buffer {
  if (order.every((byte, channel) => byte === channel)) return pixels;
  const [red, green, blue] = order;
  const ordered = Buffer.alloc(pixels.length);
  for (let at = 0; at < pixels.length; at += PIXEL) {
    ordered[at + red] = pixels[at] ?? 0;
    ordered[at + green] = pixels[at + 1] ?? 0;
    ordered[at + blue] = pixels[at + 2] ?? 0;
  }
  return ordered;
}
