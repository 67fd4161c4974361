import { expect, test } from 'vitest';
import { pixelOrder } from '../../src/vnc-server/server-messages.js';

/** A pixel format (RFB 7.4) with 8 bits a colour. */
function format(shifts: readonly number[], { bits = 32, depth = 24, big = 0, colour = 1 } = {}) {
  const maxima = [0, 255, 0, 255, 0, 255];
  return Buffer.from([bits, depth, big, colour, ...maxima, ...shifts, 0, 0, 0]);
}

test('finds the byte of each colour in formats of 32 bits', () => {
  expect(pixelOrder(format([0, 8, 16]))).toEqual([0, 1, 2]);
  expect(pixelOrder(format([16, 8, 0]))).toEqual([2, 1, 0]);
  expect(pixelOrder(format([24, 16, 8]))).toEqual([3, 2, 1]);
  expect(pixelOrder(format([16, 8, 0], { big: 1 }))).toEqual([1, 2, 3]);
});

test.each([
  ['16 bits', format([0, 8, 16], { bits: 16 })],
  ['another depth', format([0, 8, 16], { depth: 30 })],
  ['a colour map', format([0, 8, 16], { colour: 0 })],
  ['a shift inside a byte', format([0, 8, 17])],
  ['a shift beyond the pixel', format([0, 8, 32])],
  ['a shift twice', format([0, 8, 8])],
  ['fewer bits a colour', Buffer.from([32, 24, 0, 1, 0, 255, 0, 63, 0, 255, 0, 8, 16, 0, 0, 0])],
])('has no order for %s', (_, given) => {
  expect(pixelOrder(given)).toBeUndefined();
});
