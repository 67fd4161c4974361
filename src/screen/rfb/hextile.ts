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
  const decoder = new TileDecoder(region.width, Math.min(TILE, region.height));
  let changed: Rows | undefined;
  // Tiles are decoded where they lie in the reader's memory: a promise and a buffer for each would
  // take ten times as long.
  let data = await reader.peek(1);
  let at = 0;
  for (let top = 0; top < region.height; top += TILE) {
    const height = Math.min(TILE, region.height - top);
    for (let left = 0; left < region.width; left += TILE) {
      const width = Math.min(TILE, region.width - left);
      for (let size = 0; ; ) {
        size = sizeOfTile(data, at, width * height);
        if (at + size <= data.length) break;
        reader.drop(at);
        data = await reader.peek(size);
        at = 0;
      }
      at += decoder.paint(data, at, { left, width, height });
    }
    const rows = write(top * region.width * PIXEL, decoder.rows(height));
    if (rows !== undefined) changed = { first: changed?.first ?? rows.first, last: rows.last };
  }
  reader.drop(at);
  return changed;
}

/** Bytes of the tile at `at`; at least one more than there are while more of it has to be seen. */
function sizeOfTile(data: Buffer, at: number, pixels: number): number {
  const kind = data[at];
  if (kind === undefined) return 1;
  if (kind & Tile.raw) return 1 + pixels * PIXEL;
  const head = 1 + coloursOf(kind) * PIXEL;
  if ((kind & Tile.subrects) === 0) return head;
  return head + 1 + (data[at + head] ?? 0) * sizeOfPart(kind);
}

/** How many colours come after a tile's first byte. */
function coloursOf(kind: number): number {
  return (kind & Tile.background ? 1 : 0) + (kind & Tile.foreground ? 1 : 0);
}

/** Bytes of a rectangle within a tile. */
function sizeOfPart(kind: number): number {
  return (kind & Tile.coloured ? PIXEL : 0) + 2;
}

interface Place {
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** Decodes tiles into a strip of at most 16 rows. Colours carry over from tile to tile. */
class TileDecoder {
  readonly #width: number;
  readonly #strip: Buffer;
  /** The strip's memory as one word per pixel. */
  readonly #pixels: Uint32Array;
  #background: number | undefined;
  #foreground = 0;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#pixels = new Uint32Array(width * height);
    this.#strip = Buffer.from(this.#pixels.buffer);
  }

  rows(count: number): Buffer {
    return this.#strip.subarray(0, count * this.#width * PIXEL);
  }

  /** Paints the tile at `start` of the data, which has the whole of it; returns its size in bytes. */
  paint(data: Buffer, start: number, place: Place): number {
    let at = start;
    const kind = data.readUInt8(at++);
    if (kind & Tile.raw) return 1 + this.#raw(data, at, place);
    if (kind & Tile.background) {
      this.#background = colourAt(data, at);
      at += PIXEL;
    }
    if (kind & Tile.foreground) {
      this.#foreground = colourAt(data, at);
      at += PIXEL;
    }
    const { left, width, height } = place;
    if (this.#background === undefined) throw protocolError('painted a tile without a colour');
    this.#fill(left, 0, width, height, this.#background);
    if ((kind & Tile.subrects) === 0) return at - start;
    const size = sizeOfPart(kind);
    const end = at + 1 + data.readUInt8(at) * size;
    let painted = 0;
    for (at += 1; at < end; at += size) {
      const colour = kind & Tile.coloured ? colourAt(data, at) : this.#foreground;
      const corner = data.readUInt8(at + size - 2);
      const extent = data.readUInt8(at + size - 1);
      const [x, y] = [corner >> 4, corner & 15];
      const [wide, high] = [(extent >> 4) + 1, (extent & 15) + 1];
      if (x + wide > width || y + high > height) throw protocolError('painted outside a tile');
      painted += wide * high;
      if (painted > MOST_COATS * width * height) throw protocolError('repainted a tile too often');
      this.#fill(left + x, y, wide, high, colour);
    }
    return end - start;
  }

  #raw(data: Buffer, at: number, { left, width, height }: Place): number {
    const bytes = width * PIXEL;
    for (let row = 0; row < height; row++) {
      const from = at + row * bytes;
      data.copy(this.#strip, (row * this.#width + left) * PIXEL, from, from + bytes);
    }
    return bytes * height;
  }

  /** At most 16 pixels per row: `TypedArray.fill` would take several times as long. */
  #fill(left: number, top: number, width: number, height: number, colour: number): void {
    const pixels = this.#pixels;
    for (let row = top; row < top + height; row++) {
      const start = row * this.#width + left;
      for (let at = start; at < start + width; at++) pixels[at] = colour;
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
