import sharp from 'sharp';
import type { Region } from '../../screen/types.js';
import type { Ink } from './ink.js';
import { recognize } from './tesseract.js';

/** tesseract reads letters of 20 to 40 pixels best. */
const SCALE = 2;
/** White pixels around each block. */
const MARGIN = 6;
/** Most pixels of one picture, before it is scaled, and the height that tesseract takes. */
const MOST_PIXELS = 3_000_000;
const MOST_ROWS = 15_000;

/** A block of ink, with the dots above and below it. */
export interface Cut extends Region {
  readonly pixels: Buffer;
}

/** A word, its box in pixels of the screen. */
export interface ReadWord extends Region {
  readonly text: string;
}

/** Cuts a block out, dark on white. */
export function cut({ data, width, height }: Ink, block: Region): Cut {
  const y = Math.max(0, block.y - 3);
  const end = Math.min(height, block.y + block.height + 2);
  const pixels = Buffer.allocUnsafe(block.width * (end - y));
  for (let row = y, at = 0; row < end; row++) {
    const from = row * width + block.x;
    for (let column = 0; column < block.width; column++, at++) {
      pixels[at] = 255 - (data[from + column] ?? 0);
    }
  }
  return { ...block, y, height: end - y, pixels };
}

/** Groups of blocks that fit into a picture, the widest first. */
export function groupsOf(blocks: readonly Cut[]): Cut[][] {
  const groups: Cut[][] = [];
  let [rows, limit] = [0, 0];
  for (const block of blocks.toSorted((a, b) => b.width - a.width)) {
    if (groups.length === 0 || rows + block.height + MARGIN > limit) {
      groups.push([]);
      rows = MARGIN;
      limit = Math.min(MOST_ROWS, MOST_PIXELS / (block.width + 2 * MARGIN));
    }
    groups.at(-1)?.push(block);
    rows += block.height + MARGIN;
  }
  return groups;
}

/**
 * Reads blocks as one column of lines: without the empty areas, frames and icons between them it takes
 * half the time, and tesseract has no layout to guess. The lines of each block, in the order of `blocks`.
 */
export async function readBlocks(
  blocks: readonly Cut[],
  signal?: AbortSignal,
): Promise<ReadWord[][][]> {
  const width = Math.max(...blocks.map((block) => block.width)) + 2 * MARGIN;
  const height = blocks.reduce((sum, block) => sum + block.height + MARGIN, MARGIN);
  const column = Buffer.alloc(width * height, 255);
  const starts: number[] = [];
  let start = MARGIN;
  for (const block of blocks) {
    starts.push(start);
    for (let row = 0; row < block.height; row++) {
      const from = row * block.width;
      block.pixels.copy(column, (start + row) * width + MARGIN, from, from + block.width);
    }
    start += block.height + MARGIN;
  }
  const size = { width: width * SCALE, height: height * SCALE };
  const picture = await sharp(column, { raw: { width, height, channels: 1 } })
    .resize({ ...size, fit: 'fill', kernel: 'cubic' })
    .greyscale()
    .raw()
    .toBuffer();
  const lines = blocks.map(() => new Map<string, ReadWord[]>());
  for (const word of await recognize(picture, size, signal)) {
    const middle = (word.top + word.height / 2) / SCALE;
    const index = starts.findLastIndex((each) => each <= middle);
    const [block, of] = [blocks[index], lines[index]];
    if (block === undefined || of === undefined) continue;
    const read = {
      text: word.text,
      x: block.x + Math.round(word.left / SCALE) - MARGIN,
      y: block.y + Math.round(word.top / SCALE) - (starts[index] ?? 0),
      width: Math.round(word.width / SCALE),
      height: Math.round(word.height / SCALE),
    };
    of.set(word.line, [...(of.get(word.line) ?? []), read]);
  }
  return lines.map((each) => [...each.values()]);
}
