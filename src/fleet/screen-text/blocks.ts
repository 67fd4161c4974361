import { setImmediate } from 'node:timers/promises';
import type { Region } from '../../screen/types.js';
import { INK, type Ink } from './ink.js';

/** Pixels between two words of a line at most. */
const GAP = 14;
/** Blocks of other sizes are dots, icons and pictures. */
const SMALLEST = { width: 3, height: 5 } as const;
const TALLEST = 100;
/** More blocks are noise, such as a photo. */
const MOST_BLOCKS = 4_000;

interface Run {
  readonly start: number;
  readonly end: number;
  readonly block: Block;
}

/** A part that may be joined to another, which then represents both. */
interface Block {
  into: Block | undefined;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The places that may hold text: mostly a line or a part of it. Lets other work come in between. */
export async function blocksOf({ data, width, height }: Ink): Promise<Region[]> {
  const blocks: Block[] = [];
  let above: readonly Run[] = [];
  for (let y = 0; y < height; y++) {
    if (y % 64 === 0) await setImmediate();
    const row = runsOf(data.subarray(y * width, (y + 1) * width), y);
    let at = 0;
    for (const run of row) {
      blocks.push(run.block);
      while ((above[at]?.end ?? width) < run.start) at++;
      for (let next = at; (above[next]?.start ?? width) <= run.end; next++) {
        const other = above[next];
        if (other) join(rootOf(run.block), rootOf(other.block));
      }
    }
    above = row;
  }
  return blocks
    .filter(({ into }) => into === undefined)
    .map(({ left, top, right, bottom }) => {
      return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
    })
    .filter(({ width, height }) => width >= SMALLEST.width && height >= SMALLEST.height)
    .filter((block) => block.height <= TALLEST)
    .sort((a, b) => b.width - a.width)
    .slice(0, MOST_BLOCKS);
}

/** Stretches of ink in a row, with the gaps between letters and words. */
function runsOf(row: Uint8Array, y: number): Run[] {
  const runs: Run[] = [];
  let start = -1;
  let last = -1;
  const add = () => {
    const block = { into: undefined, left: start, top: y, right: last, bottom: y };
    if (start >= 0) runs.push({ start, end: last, block });
  };
  for (let x = 0; x < row.length; x++) {
    if ((row[x] ?? 0) < INK) continue;
    if (start < 0 || x - last > GAP) {
      add();
      start = x;
    }
    last = x;
  }
  add();
  return runs;
}

function rootOf(block: Block): Block {
  let root = block;
  while (root.into !== undefined) root = root.into;
  if (block !== root) block.into = root;
  return root;
}

function join(a: Block, b: Block): void {
  if (a === b) return;
  a.into = b;
  b.left = Math.min(a.left, b.left);
  b.top = Math.min(a.top, b.top);
  b.right = Math.max(a.right, b.right);
  b.bottom = Math.max(a.bottom, b.bottom);
}
