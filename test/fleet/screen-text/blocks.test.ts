import { expect, it } from 'vitest';
import { blocksOf } from '../../../src/fleet/screen-text/blocks.js';
import { contrastOf, inkOf, withChanges } from '../../../src/fleet/screen-text/ink.js';
import { cut, groupsOf } from '../../../src/fleet/screen-text/montage.js';

const size = { width: 200, height: 100 };

/** A picture of one colour, with filled boxes of another. */
function picture(
  background: number,
  ...boxes: [x: number, y: number, w: number, h: number, colour: number][]
) {
  const pixels = Buffer.alloc(size.width * size.height * 4, background);
  for (const [x, y, width, height, colour] of boxes) {
    for (let row = y; row < y + height; row++) {
      pixels.fill(colour, (row * size.width + x) * 4, (row * size.width + x + width) * 4);
    }
  }
  return pixels;
}

const inkIn = async (pixels: Buffer) => inkOf(await contrastOf(pixels, size));

it('finds the same when only the rows that have changed are looked at again', async () => {
  const noise = picture(200);
  for (let at = 0; at < noise.length; at++) noise[at] = (at * 7919) % 251;
  const contrast = await contrastOf(noise, size);
  for (const [y, height] of [
    [0, 3],
    [37, 20],
    [90, 10],
  ] as const) {
    noise.fill(30, y * size.width * 4, (y + height) * size.width * 4);
    await withChanges(contrast, noise, [{ y, height }]);
    const { data } = await contrastOf(noise, size);
    expect(Buffer.compare(contrast.data, data)).toBe(0);
  }
});

it.each([
  ['dark on light', 255, 0],
  ['light on dark', 20, 230],
])('finds what is written %s, without frames and dots', async (_, background, colour) => {
  const letters = [0, 8, 16].map((x): [number, number, number, number, number] => [
    ...([20 + x, 40, 3, 10] as const),
    colour,
  ]);
  const frame: [number, number, number, number, number] = [0, 80, 200, 2, colour];
  const dot: [number, number, number, number, number] = [120, 40, 2, 2, colour];
  const ink = await inkIn(picture(background, ...letters, frame, dot));
  expect(await blocksOf(ink)).toEqual([{ x: 20, y: 40, width: 19, height: 10 }]);
});

it('finds nothing in an even picture', async () => {
  expect(await blocksOf(await inkIn(picture(90)))).toEqual([]);
});

it('cuts blocks out dark on white, and bounds the pictures that they are read from', async () => {
  const ink = await inkIn(picture(20, [50, 0, 4, 12, 230]));
  const [block] = await blocksOf(ink);
  if (block === undefined) throw new Error('no block');
  const piece = cut(ink, block);
  expect([piece.y, piece.height, piece.pixels[0], piece.pixels.at(-1)]).toEqual([0, 14, 0, 255]);

  const wide = { ...piece, width: 1000, height: 100 };
  const groups = groupsOf(new Array(100).fill(wide));
  expect(groups.flat()).toHaveLength(100);
  for (const group of groups) expect(group.length * 106 * 1012).toBeLessThan(3_100_000);
});
