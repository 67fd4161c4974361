import type { Size } from '../../geometry.js';

/** Filters of a row (PNG specification, 9.2). */
const Filter = { none: 0, up: 2 } as const;

/** What pixels look like: flat areas and text, or a photo or video. */
export type Texture = 'flat' | 'photo';

/** Every so many-th row is looked at to tell the texture. */
const SAMPLE_EVERY = 8;
const COLOUR = 0xffffff;

/** Bytes of a PNG's rows: a filter and three bytes per pixel. */
export function rowsBytes({ width, height }: Size): number {
  return (3 * width + 1) * height;
}

/**
 * `photo` if fewer than half of the pixels are like their left neighbour. Depends on the pixels only.
 * `pixels` holds one word per pixel, red in the lowest byte.
 */
export function textureOf(pixels: Uint32Array, { width, height }: Size): Texture {
  let same = 0;
  let all = 0;
  for (let row = 0; row < height; row += SAMPLE_EVERY) {
    const end = (row + 1) * width;
    for (let at = row * width + 1; at < end; at++) {
      if ((((pixels[at] ?? 0) ^ (pixels[at - 1] ?? 0)) & COLOUR) === 0) same++;
    }
    all += width - 1;
  }
  return same * 2 < all ? 'photo' : 'flat';
}

/**
 * The rows of a PNG with three bytes per pixel, each after its filter: none for flat areas, which
 * then repeat, and Up for photos. The first row has none, so that the rows depend on no others.
 */
export function packRows(pixels: Uint32Array, size: Size, texture: Texture): Buffer {
  const { width, height } = size;
  const bytes = rowsBytes(size);
  const words = new Uint32Array(Math.ceil(bytes / 4));
  const rows = Buffer.from(words.buffer, 0, bytes);
  const differences = new Uint32Array(width);
  for (let row = 0; row < height; row++) {
    const from = row * width;
    let line = pixels.subarray(from, from + width);
    const isFiltered = texture === 'photo' && row > 0;
    rows[row * (3 * width + 1)] = isFiltered ? Filter.up : Filter.none;
    if (isFiltered) {
      subtract(line, pixels.subarray(from - width, from), differences);
      line = differences;
    }
    packRow(line, row * (3 * width + 1) + 1, rows, words);
  }
  return rows;
}

/** Subtracts `below` from `line`, each byte modulo 256. */
function subtract(line: Uint32Array, below: Uint32Array, result: Uint32Array): void {
  for (let at = 0; at < line.length; at++) {
    const a = line[at] ?? 0;
    const b = below[at] ?? 0;
    // The highest bits are set apart, so that no byte borrows from the next one.
    result[at] = ((a | 0x80808080) - (b & 0x7f7f7f7f)) ^ ((a ^ ~b) & 0x80808080);
  }
}

/** Writes three bytes of each pixel from byte `to` on; four pixels at a time become three words. */
function packRow(line: Uint32Array, to: number, rows: Buffer, words: Uint32Array): void {
  const end = line.length;
  let at = 0;
  for (; (to & 3) !== 0 && at < end; at++, to += 3) packPixel(line[at] ?? 0, to, rows);
  let word = to >>> 2;
  for (; at + 3 < end; at += 4, word += 3) {
    const b = line[at + 1] ?? 0;
    const c = line[at + 2] ?? 0;
    words[word] = ((line[at] ?? 0) & COLOUR) | (b << 24);
    words[word + 1] = ((b >>> 8) & 0xffff) | (c << 16);
    words[word + 2] = ((c >>> 16) & 0xff) | ((line[at + 3] ?? 0) << 8);
  }
  for (to = word << 2; at < end; at++, to += 3) packPixel(line[at] ?? 0, to, rows);
}

function packPixel(pixel: number, to: number, rows: Buffer): void {
  rows[to] = pixel;
  rows[to + 1] = pixel >>> 8;
  rows[to + 2] = pixel >>> 16;
}
