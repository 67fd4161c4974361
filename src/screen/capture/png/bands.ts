import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Size } from '../../geometry.js';
import { intersects, type Region } from '../../geometry.js';
import { type DrawnCursor, drawCursor, regionOf } from '../../model/cursor.js';
import { BAND_ROWS, type Framebuffer } from '../../model/framebuffer.js';
import { PIXEL } from '../../rfb/constants.js';
import { encodings } from '../encodings.js';
import { deflate } from './deflate.js';
import { packRows, rowsBytes, textureOf } from './rows.js';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length and type before the data of a chunk. */
const HEAD = 8;

/** A chunk (PNG specification, 5.3): length, type, data, and CRC-32 of type and data. */
function chunk(type: 'IHDR' | 'IDAT' | 'IEND', ...data: readonly Buffer[]): Buffer {
  const length = data.reduce((sum, part) => sum + part.length, 0);
  const bytes = Buffer.allocUnsafeSlow(HEAD + length + 4);
  bytes.writeUInt32BE(length, 0);
  bytes.write(type, 4, 'latin1');
  let at = HEAD;
  for (const part of data) at += part.copy(bytes, at);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, at)), at);
  return bytes;
}

/** What comes before the pixels: eight bits each of red, green and blue, not interlaced. */
function header({ width, height }: Size): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return Buffer.concat([SIGNATURE, chunk('IHDR', data), chunk('IDAT', ZLIB_HEADER)]);
}

/** A zlib stream (RFC 1950) of the fastest level with a window of 32 KiB. */
const ZLIB_HEADER = Buffer.from([0x78, 0x01]);

/** What comes after the pixels: the end of the zlib stream with its checksum, and of the picture. */
function trailer(adler: number): Buffer {
  const end = Buffer.from([0x03, 0x00, 0, 0, 0, 0]);
  end.writeUInt32BE(adler, 2);
  return Buffer.concat([chunk('IDAT', end), chunk('IEND')]);
}

/** The largest prime below 2^16. */
const BASE = 65_521;

/** Adler-32 of nothing. */
const ADLER_START = 1;

/** Adler-32 of two pieces of data in a row, from that of each and the length of the second. */
function combineAdler(first: number, second: number, secondBytes: number): number {
  const length = secondBytes % BASE;
  const low = first & 0xffff;
  const a = (low + (second & 0xffff) + BASE - 1) % BASE;
  const b = (length * low + (first >>> 16) + (second >>> 16) + BASE - length) % BASE;
  return b * 0x10000 + a;
}

/**
 * Bands pay while at most one in so many changes: compressing a whole screen as bands takes 1.3 to 2
 * times as much processor time as in one go.
 */
const CHANGED_PART = 3;
/** Pictures in a row with few changes before bands are made. */
const CALM_PICTURES = 2;

interface Compressed {
  readonly chunk: Buffer;
  /** Adler-32 of the band's rows. */
  readonly adler: number;
}

interface Band {
  /** See {@link Framebuffer.versionOf}. */
  readonly version: number;
  /** The pointer, if the band shows a part of it. */
  readonly pointer: DrawnCursor | undefined;
  /** Length of the band's rows before compression. */
  readonly bytes: number;
  compressed: Promise<Compressed>;
}

/**
 * Encodes the whole screen as PNG, at the cost of what has changed since the last picture.
 *
 * Each band of rows is compressed by itself: its deflate data ends on a byte and refers to no other
 * band, so those of an unchanged band are used again. A picture is the bands in a row with the
 * combined checksum. The same pixels always give the same bytes. Bands are views of the last
 * picture and take no memory besides it.
 */
export class PngBands {
  readonly #framebuffer: Framebuffer;
  #bands: Band[] = [];
  /** The framebuffer's version in the last picture, however it was encoded. */
  #seen: number | undefined;
  /** Pictures in a row with few changes. */
  #calm = 0;
  #way: 'bands' | 'whole' = 'whole';

  constructor(framebuffer: Framebuffer) {
    this.#framebuffer = framebuffer;
  }

  /**
   * How to encode the next picture: as bands if few have changed in the last ones. A screen that has
   * not changed is encoded the same way again, so that its picture has the same bytes.
   */
  choose(): 'bands' | 'whole' {
    const { size, version } = this.#framebuffer;
    if (this.#seen === version) return this.#way;
    const { length } = regionsOf(size).filter((region) => this.#hasChanged(region));
    const isCalm = length * CHANGED_PART <= Math.ceil(size.height / BAND_ROWS);
    this.#calm = isCalm ? this.#calm + 1 : 0;
    this.#seen = version;
    this.#way = this.#calm >= CALM_PICTURES ? 'bands' : 'whole';
    return this.#way;
  }

  /**
   * Reads the framebuffer before it returns. `pointer` is drawn into the picture. `memory` has room
   * for the pixels of the screen, on a word boundary; do not use it until the result is settled.
   */
  async encode(memory: Buffer, pointer?: DrawnCursor): Promise<Buffer> {
    const { size } = this.#framebuffer;
    const bands = regionsOf(size).map((region, at) => this.#current(region, at, pointer, memory));
    this.#bands.length = bands.length;
    // If one fails, the others still need their pixels.
    await Promise.allSettled(bands.map((band) => band.compressed));
    return assemble(size, bands);
  }

  /** Forgets all bands. */
  clear(): void {
    this.#bands = [];
    this.#calm = 0;
  }

  #hasChanged(region: Region): boolean {
    return this.#seen === undefined || this.#framebuffer.versionOf(region) > this.#seen;
  }

  /** The band as it is now; compressed anew if it has changed. */
  #current(region: Region, at: number, pointer: DrawnCursor | undefined, memory: Buffer): Band {
    const version = this.#framebuffer.versionOf(region);
    const drawn =
      pointer !== undefined && intersects(regionOf(pointer), region) ? pointer : undefined;
    const last = this.#bands[at];
    if (last?.version === version && isSame(last.pointer, drawn)) return last;
    const band: Band = {
      version,
      pointer: drawn,
      bytes: rowsBytes(region),
      compressed: this.#compress(region, drawn, memory),
    };
    this.#bands[at] = band;
    band.compressed.catch(() => {
      if (this.#bands[at] === band) delete this.#bands[at];
    });
    return band;
  }

  #compress(region: Region, pointer: DrawnCursor | undefined, memory: Buffer): Promise<Compressed> {
    const count = region.width * region.height;
    const start = memory.byteOffset + region.y * region.width * PIXEL;
    const pixels = new Uint32Array(memory.buffer, start, count);
    const bytes = Buffer.from(memory.buffer, start, count * PIXEL);
    this.#framebuffer.read(region, bytes);
    if (pointer !== undefined) drawCursor(bytes, region, pointer.cursor, pointer.x, pointer.y);
    return encodings.run(async () => {
      // Packing takes up to a millisecond per band: other work comes in between.
      await setImmediate();
      const texture = textureOf(pixels, region);
      const { data, adler } = await deflate(packRows(pixels, region, texture), texture);
      return { chunk: chunk('IDAT', data), adler };
    });
  }
}

function regionsOf({ width, height }: Size): Region[] {
  return Array.from({ length: Math.ceil(height / BAND_ROWS) }, (_, at) => {
    const y = at * BAND_ROWS;
    return { x: 0, y, width, height: Math.min(BAND_ROWS, height - y) };
  });
}

function isSame(a: DrawnCursor | undefined, b: DrawnCursor | undefined): boolean {
  return a?.cursor === b?.cursor && a?.x === b?.x && a?.y === b?.y;
}

async function assemble(size: Size, bands: readonly Band[]): Promise<Buffer> {
  const compressed = await Promise.all(bands.map((band) => band.compressed));
  const adler = compressed.reduce(
    (sum, one, at) => combineAdler(sum, one.adler, bands[at]?.bytes ?? 0),
    ADLER_START,
  );
  const start = header(size);
  const picture = Buffer.concat([start, ...compressed.map((one) => one.chunk), trailer(adler)]);
  let at = start.length;
  for (const [index, band] of bands.entries()) {
    const { chunk, adler } = compressed[index] ?? { chunk: Buffer.alloc(0), adler: 0 };
    const view = picture.subarray(at, at + chunk.length);
    band.compressed = Promise.resolve({ chunk: view, adler });
    at += view.length;
  }
  return picture;
}
