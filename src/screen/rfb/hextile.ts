import { protocolError } from '../errors.js';
import type { Region } from '../geometry.js';
import type { Rows } from '../model/framebuffer.js';
import { PIXEL } from './constants.js';
import type { ByteReader } from './reader.js';

const TILE = 16;
/** Bounds the work per tile: encoders paint a pixel once or twice, a hostile server many times. */
const MOST_COATS = 4;
/** Bits of a tile's first byte (RFB 7.7.4). */
const Tile = { raw: 1, background: 2, foreground: 4, subrects: 8, coloured: 16 } as const;

/**
 * Reads a rectangle in Hextile encoding: tiles of 16x16 pixels, each a background with smaller
 * rectangles on it, or raw pixels. Calls `write` with rows as they become complete; it returns
 * the changed ones. Returns all changed rows, relative to the region.
 */
export async function readHextile(
  reader: ByteReader,
  region: Region,
  write: (byteOffset: number, pixels: Buffer) => Rows | undefined,
): Promise<Rows | undefined> {
  const decoder = new TileDecoder(reader, region.width, Math.min(TILE, region.height));
  let changed: Rows | undefined;
  for (let top = 0; top < region.height; top += TILE) {
    const height = Math.min(TILE, region.height - top);
    for (let left = 0; left < region.width; left += TILE) {
      await decoder.read(left, Math.min(TILE, region.width - left), height);
    }
    const rows = write(top * region.width * PIXEL, decoder.rows(height));
    if (rows !== undefined) changed = { first: changed?.first ?? rows.first, last: rows.last };
  }
  return changed;
}

/** Decodes tiles into a strip of at most 16 rows. Colours carry over from tile to tile. */
class TileDecoder {
  readonly #reader: ByteReader;
  readonly #width: number;
  readonly #strip: Buffer;
  /** The strip's memory as one word per pixel. */
  readonly #pixels: Uint32Array;
  #background: number | undefined;
  #foreground = 0;

  constructor(reader: ByteReader, width: number, height: number) {
    this.#reader = reader;
    this.#width = width;
    this.#pixels = new Uint32Array(width * height);
    this.#strip = Buffer.from(this.#pixels.buffer);
  }

  rows(count: number): Buffer {
    return this.#strip.subarray(0, count * this.#width * PIXEL);
  }

  async read(left: number, width: number, height: number): Promise<void> {
    const kind = await this.#reader.u8();
    if (kind & Tile.raw) return this.#raw(left, width, height);
    const has = (bit: number) => (kind & bit) !== 0;
    const colours = (has(Tile.background) ? PIXEL : 0) + (has(Tile.foreground) ? PIXEL : 0);
    const head = await this.#reader.read(colours + (has(Tile.subrects) ? 1 : 0));
    if (has(Tile.background)) this.#background = colourAt(head, 0);
    if (has(Tile.foreground)) this.#foreground = colourAt(head, colours - PIXEL);
    if (this.#background === undefined) throw protocolError('painted a tile without a colour');
    this.#fill(left, 0, width, height, this.#background);
    if (!has(Tile.subrects)) return;
    const size = (has(Tile.coloured) ? PIXEL : 0) + 2;
    const parts = await this.#reader.read(size * head.readUInt8(colours));
    let painted = 0;
    for (let at = 0; at < parts.length; at += size) {
      const colour = has(Tile.coloured) ? colourAt(parts, at) : this.#foreground;
      const place = parts.readUInt8(at + size - 2);
      const extent = parts.readUInt8(at + size - 1);
      const [x, y] = [place >> 4, place & 15];
      const [wide, high] = [(extent >> 4) + 1, (extent & 15) + 1];
      if (x + wide > width || y + high > height) throw protocolError('painted outside a tile');
      painted += wide * high;
      if (painted > MOST_COATS * width * height) throw protocolError('repainted a tile too often');
      this.#fill(left + x, y, wide, high, colour);
    }
  }

  async #raw(left: number, width: number, height: number): Promise<void> {
    const bytes = width * PIXEL;
    const data = await this.#reader.read(bytes * height);
    for (let row = 0; row < height; row++) {
      data.copy(this.#strip, (row * this.#width + left) * PIXEL, row * bytes, (row + 1) * bytes);
    }
  }

  #fill(left: number, top: number, width: number, height: number, colour: number): void {
    for (let row = top; row < top + height; row++) {
      const start = row * this.#width + left;
      this.#pixels.fill(colour, start, start + width);
    }
  }
}

const word = new Uint32Array(1);
const bytesOfWord = new Uint8Array(word.buffer);

/** A pixel's four bytes as a word in native byte order. */
function colourAt(data: Buffer, offset: number): number {
  data.copy(bytesOfWord, 0, offset, offset + PIXEL);
  return word[0] ?? 0;
}
