import { expect, it } from 'vitest';
import { drawMarks, type NumberedBox } from '../../../src/screen/capture/marks.js';

const WIDTH = 400;
const HEIGHT = 200;
const screen = { x: 0, y: 0, width: WIDTH, height: HEIGHT };

type Drawn = (x: number, y: number) => string;

/** Draws on a screen of one colour; the result reads a pixel as six hexadecimal digits. */
function draw(boxes: readonly NumberedBox['box'][], region = screen, fill = 0, scale = 1): Drawn {
  const pixels = Buffer.alloc(region.width * region.height * 4, fill);
  const marks = boxes.map((box, index) => ({ number: index + 1, box }));
  drawMarks(pixels, region, marks, scale);
  return (x, y) => {
    const at = ((y - region.y) * region.width + x - region.x) * 4;
    return pixels.toString('hex', at, at + 3);
  };
}

/** The digits of a label whose upper left corner is at x, y, as rows of text. */
function digits(pixel: Drawn, x: number, y: number, unit = 2): string[] {
  return Array.from({ length: 7 }, (_, row) =>
    Array.from({ length: 5 }, (_, column) =>
      pixel(x + (1 + column) * unit, y + (1 + row) * unit) === 'ffffff' ? '#' : '.',
    ).join(''),
  );
}

const ONE = ['..#..', '.##..', '..#..', '..#..', '..#..', '..#..', '.###.'];

it.each([[0], [128], [255]])('a box has a coloured line with a white edge on %i', (fill) => {
  const pixel = draw([[100, 50, 80, 40]], screen, fill);
  expect([99, 100, 101].map((x) => pixel(x, 80))).toEqual(['ffffff', 'c8001e', 'c8001e']);
  expect([178, 179, 180].map((x) => pixel(x, 80))).toEqual(['c8001e', 'c8001e', 'ffffff']);
  expect(pixel(102, 80)).toBe(Buffer.alloc(3, fill).toString('hex'));
  expect(digits(pixel, 86, 50)).toEqual(ONE);
});

it('in a picture of half the size, digits are drawn twice as large', () => {
  expect(digits(draw([[100, 50, 80, 40]], screen, 0, 0.5), 72, 50, 4)).toEqual(ONE);
});

it('draws what is in the region, in its pixels, and nothing outside', () => {
  const region = { x: 90, y: 40, width: 100, height: 100 };
  const pixel = draw([[80, 50, 300, 400]], region);
  expect([pixel(150, 50), pixel(150, 100)]).toEqual(['c8001e', '000000']);
  for (const box of [
    [-50, -50, 20, 20],
    [900, 900, 50, 50],
    [0, 0, 1, 1],
    [399, 199, 1, 1],
  ]) {
    expect(() => draw([box as unknown as NumberedBox['box']])).not.toThrow();
  }
});

it('a label covers no other label, and no other box where there is room', () => {
  // Buttons side by side, and one above: the label of the second cannot be to its left.
  const pixel = draw([
    [100, 50, 40, 40],
    [140, 50, 40, 40],
    [140, 10, 40, 40],
  ]);
  // The line of the first box is whole.
  for (let y = 52; y < 88; y++) expect(pixel(138, y)).toBe('c8001e');
  expect(digits(pixel, 86, 50)).toEqual(ONE);
});

it('of 200 boxes in one place each has a number', () => {
  const pixel = draw(Array.from({ length: 200 }, () => [100, 50, 40, 40] as const));
  expect(pixel(100, 60)).toMatch(/^(?!000000)/);
});
