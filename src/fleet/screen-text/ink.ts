import { setImmediate } from 'node:timers/promises';
import type { Region, Size } from '../../screen/types.js';

/** Width and height of the tiles that have a background of their own, in pixels. */
const TILE = 8;
/** Grey levels that are distinguished when a background is looked for. */
const LEVELS = 64;
/** Strengthens grey text; a difference of {@link NOISE} or less is none. */
const GAIN = 1.4;
const NOISE = 6;
/** Differences from the background that belong to a letter. */
export const INK = 45;
/** Longer strokes are no letters but frames, underlines and edges of areas. */
const LONGEST_STROKE = 40;
const PIXEL = 4;

/** What stands out from its background: a byte for each pixel, 0 is none. */
export interface Ink extends Size {
  readonly data: Uint8Array;
}

/**
 * What stands out from its background in a picture (red, green, blue, unused; without gaps), also long
 * strokes; the same for dark text on light areas and light text on dark ones. The background of a tile
 * is its most frequent grey level with the tiles around it.
 */
export function contrastOf(pixels: Buffer, { width, height }: Size): Promise<Ink> {
  const contrast = { data: new Uint8Array(width * height), width, height };
  return withChanges(contrast, pixels, [{ y: 0, height }]);
}

type Rows = Pick<Region, 'y' | 'height'>;

/** Updates the contrast of a picture of which only some rows have changed, in place. */
export async function withChanges(
  contrast: Ink,
  pixels: Buffer,
  changes: readonly Rows[],
): Promise<Ink> {
  for (const rows of changes) await update(contrast, pixels, rows);
  return contrast;
}

/** Lets other work come in between. */
async function update({ data, width, height }: Ink, pixels: Buffer, rows: Rows): Promise<void> {
  const columns = Math.ceil(width / TILE);
  const tileRows = Math.ceil(height / TILE);
  // A background depends on the tiles around it.
  const first = Math.max(0, Math.floor(rows.y / TILE) - 1);
  const end = Math.min(tileRows, Math.ceil((rows.y + rows.height) / TILE) + 1);
  const firstRead = Math.max(0, first - 1);
  const endRead = Math.min(tileRows, end + 1);
  const top = firstRead * TILE;
  const bottom = Math.min(height, endRead * TILE);
  const grey = new Uint8Array(width * (bottom - top));
  const counts = new Uint16Array(columns * (endRead - firstRead) * LEVELS);
  for (let y = top, at = 0; y < bottom; y++) {
    if (y % 64 === 0) await setImmediate();
    const row = (Math.floor(y / TILE) - firstRead) * columns;
    for (let x = 0; x < width; x++, at++) {
      const from = (y * width + x) * PIXEL;
      const [red = 0, green = 0, blue = 0] = [pixels[from], pixels[from + 1], pixels[from + 2]];
      const level = (red * 77 + green * 150 + blue * 29) >> 8;
      grey[at] = level;
      const slot = (row + ((x / TILE) | 0)) * LEVELS + (level >> 2);
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
  }
  const read = { width: columns, height: endRead - firstRead };
  for (let row = first; row < end; row++) {
    if (row % 8 === 0) await setImmediate();
    const backgrounds = backgroundsOf(counts, row - firstRead, read);
    const stop = Math.min(height, (row + 1) * TILE) * width;
    for (let at = row * TILE * width, x = 0; at < stop; at++, x = x + 1 === width ? 0 : x + 1) {
      const level = grey[at - top * width] ?? 0;
      const difference = Math.abs(level - (backgrounds[(x / TILE) | 0] ?? 0));
      data[at] = Math.max(0, Math.min(255, difference * GAIN - NOISE));
    }
  }
}

/** The ink of letters: without strokes that are too long. Lets other work come in between. */
export async function inkOf({ data, width, height }: Ink): Promise<Ink> {
  const ink = { data: data.slice(), width, height };
  await removeStrokes(ink);
  return ink;
}

/** The background of each tile of a row. */
function backgroundsOf(counts: Uint16Array, row: number, { width, height }: Size): number[] {
  const first = Math.max(0, row - 1);
  const end = Math.min(height, row + 2);
  // Of the tile's column of three; then of the columns beside it.
  const columns = new Uint16Array(width * LEVELS);
  for (let near = first; near < end; near++) {
    const from = near * width * LEVELS;
    for (let slot = 0; slot < columns.length; slot++) {
      columns[slot] = (columns[slot] ?? 0) + (counts[from + slot] ?? 0);
    }
  }
  return Array.from({ length: width }, (_, tile) => {
    const at = tile * LEVELS;
    let [best, most] = [0, -1];
    for (let level = 0; level < LEVELS; level++) {
      const left = tile > 0 ? (columns[at + level - LEVELS] ?? 0) : 0;
      const right = tile + 1 < width ? (columns[at + level + LEVELS] ?? 0) : 0;
      const count = left + (columns[at + level] ?? 0) + right;
      if (count > most) [best, most] = [level, count];
    }
    return best * 4 + 2;
  });
}

/** Removes strokes that are too long for a letter, in both directions. */
async function removeStrokes({ data, width, height }: Ink): Promise<void> {
  const heights = new Uint16Array(width);
  const long: { at: number; length: number; step: number }[] = [];
  for (let y = 0; y <= height; y++) {
    if (y % 64 === 0) await setImmediate();
    for (let x = 0, run = 0; x <= width; x++) {
      const at = y * width + x;
      const isInk = x < width && y < height && (data[at] ?? 0) >= INK;
      const above = heights[x] ?? 0;
      if (!isInk) {
        if (run > LONGEST_STROKE) long.push({ at: at - run, length: run, step: 1 });
        if (above > LONGEST_STROKE) {
          long.push({ at: at - above * width, length: above, step: width });
        }
      }
      run = isInk ? run + 1 : 0;
      if (x < width) heights[x] = isInk ? above + 1 : 0;
    }
  }
  for (const { at, length, step } of long) {
    for (let index = 0; index < length; index++) data[at + index * step] = 0;
  }
}
