import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contains, intersects } from '../../../src/screen/geometry.js';
import { drawCursor, withMask } from '../../../src/screen/model/cursor.js';
import { BAND_ROWS, Framebuffer } from '../../../src/screen/model/framebuffer.js';

const WIDTH = 20;
const HEIGHT = 12;
const whole = { x: 0, y: 0, width: WIDTH, height: HEIGHT };

const region = fc
  .tuple(
    fc.nat(WIDTH - 1),
    fc.nat(HEIGHT - 1),
    fc.integer({ min: 1, max: WIDTH }),
    fc.integer({ min: 1, max: HEIGHT }),
  )
  .map(([x, y, width, height]) => ({
    x,
    y,
    width: Math.min(width, WIDTH - x),
    height: Math.min(height, HEIGHT - y),
  }));

function pixelsOf(framebuffer: Framebuffer, part = whole): Buffer {
  const pixels = Buffer.alloc(part.width * part.height * 4);
  framebuffer.read(part, pixels);
  return pixels;
}

/** A screen whose pixels all differ. */
function numbered(): Framebuffer {
  const framebuffer = new Framebuffer(whole);
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 4);
  for (let index = 0; index < WIDTH * HEIGHT; index++) pixels.writeUInt32LE(index + 1, index * 4);
  framebuffer.write(whole, 0, pixels);
  return framebuffer;
}

test('writes pixels split at any byte', () => {
  fc.assert(
    fc.property(region, fc.integer({ min: 1, max: 50 }), fc.nat(255), (part, piece, value) => {
      const framebuffer = new Framebuffer(whole);
      const pixels = Buffer.alloc(part.width * part.height * 4, value);
      for (let at = 0; at < pixels.length; at += piece) {
        framebuffer.write(part, at, pixels.subarray(at, at + piece));
      }
      expect(pixelsOf(framebuffer, part)).toEqual(pixels);
      const sum = pixelsOf(framebuffer).reduce((total, byte) => total + byte, 0);
      expect(sum).toBe(pixels.length * value);
    }),
  );
});

test('reports only the rows whose pixels changed', () => {
  const framebuffer = numbered();
  const { version } = framebuffer;
  const pixels = pixelsOf(framebuffer);
  expect(framebuffer.write(whole, 0, pixels)).toBeUndefined();
  expect(framebuffer.version).toBe(version);
  pixels.writeUInt8(0xee, (5 * WIDTH + 3) * 4);
  pixels.writeUInt8(0xee, (7 * WIDTH + 3) * 4);
  expect(framebuffer.write(whole, 0, pixels)).toEqual({ first: 5, last: 7 });
  expect(framebuffer.version).toBeGreaterThan(version);
});

test('copies overlapping regions correctly', () => {
  fc.assert(
    fc.property(region, region, (from, to) => {
      const width = Math.min(from.width, to.width);
      const height = Math.min(from.height, to.height);
      const framebuffer = numbered();
      const expected = pixelsOf(framebuffer, { ...from, width, height });
      framebuffer.copy(from.x, from.y, { x: to.x, y: to.y, width, height });
      expect(pixelsOf(framebuffer, { x: to.x, y: to.y, width, height })).toEqual(expected);
    }),
  );
});

test('names the bands that have changed since a version', () => {
  const framebuffer = new Framebuffer({ width: 4, height: 4 * BAND_ROWS + 1 });
  const write = (y: number, colour: number) =>
    framebuffer.write({ x: 1, y, width: 1, height: 1 }, 0, Buffer.alloc(4, colour));
  write(1, 9);
  const before = framebuffer.version;
  expect(framebuffer.changedSince(before)).toEqual([]);
  for (const y of [0, BAND_ROWS, 4 * BAND_ROWS]) write(y, 7);
  expect(framebuffer.changedSince(before)).toEqual([
    { x: 0, y: 0, width: 4, height: 2 * BAND_ROWS },
    { x: 0, y: 4 * BAND_ROWS, width: 4, height: 1 },
  ]);
  framebuffer.resize({ width: 3, height: 5 });
  expect(framebuffer.changedSince(before)).toEqual([{ x: 0, y: 0, width: 3, height: 5 }]);
});

test('remembers for each band of rows whether it has changed', () => {
  const size = { width: 4, height: 4 * BAND_ROWS + 1 };
  const framebuffer = new Framebuffer(size);
  const rows = (y: number, height: number) => ({ x: 1, y, width: 2, height });
  const bands = [0, 1, 2, 3].map((band) => rows(band * BAND_ROWS, BAND_ROWS));
  bands.push(rows(4 * BAND_ROWS, 1));
  let versions = bands.map((band) => framebuffer.versionOf(band));
  const changed = () => {
    const before = versions;
    versions = bands.map((band) => framebuffer.versionOf(band));
    return versions.flatMap((version, band) => (version === before[band] ? [] : [band]));
  };
  expect(changed()).toEqual([]);
  framebuffer.write(rows(BAND_ROWS - 1, 2), 0, Buffer.alloc(16, 1));
  expect(changed()).toEqual([0, 1]);
  framebuffer.write(rows(0, BAND_ROWS), 0, pixelsOf(framebuffer, rows(0, BAND_ROWS)));
  expect(changed()).toEqual([]);
  // The second of two rows, in a write that begins with the first.
  framebuffer.write(rows(2 * BAND_ROWS - 1, 2), 8, Buffer.alloc(8, 2));
  expect(changed()).toEqual([2]);
  framebuffer.copy(0, 0, rows(3 * BAND_ROWS, BAND_ROWS + 1));
  expect(changed()).toEqual([3, 4]);
  expect(framebuffer.versionOf({ x: 0, y: 0, ...size })).toBe(framebuffer.version);
  framebuffer.resize(size);
  expect(changed()).toEqual([0, 1, 2, 3, 4]);
});

test('rejects invalid screen sizes', () => {
  for (const [width, height] of [
    [0, 600],
    [800, 0],
    [3841, 2160],
    [3840, 2161],
    [65_535, 65_535],
  ] as const) {
    expect(() => new Framebuffer({ width, height })).toThrow(`${width}x${height}`);
  }
  expect(() => new Framebuffer({ width: 3840, height: 2160 })).not.toThrow();
});

test('distinguishes regions inside from those that extend beyond the edge', () => {
  expect(contains(whole, whole)).toBe(true);
  expect(contains(whole, { ...whole, x: 1 })).toBe(false);
  expect(contains(whole, { x: 19, y: 11, width: 1, height: 1 })).toBe(true);
  expect(contains(whole, { x: 20, y: 11, width: 1, height: 1 })).toBe(false);
  expect(contains(whole, { x: -1, y: 0, width: 1, height: 1 })).toBe(false);
  expect(intersects({ x: 0, y: 0, width: 2, height: 2 }, { x: 2, y: 0, width: 2, height: 2 })).toBe(
    false,
  );
  expect(intersects({ x: 0, y: 0, width: 3, height: 2 }, { x: 2, y: 1, width: 2, height: 2 })).toBe(
    true,
  );
});

test('draws a pointer at its hot spot, clipped at the edges', () => {
  const pixels = Buffer.from([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 0, 0, 0]);
  const cursor = { width: 2, height: 2, hotX: 1, hotY: 1, pixels };
  const picture = Buffer.alloc(3 * 3 * 4, 9);
  drawCursor(picture, { x: 10, y: 20, width: 3, height: 3 }, cursor, 12, 22);
  expect([...picture.subarray(16, 19)]).toEqual([255, 0, 0]);
  expect([...picture.subarray(20, 23)]).toEqual([0, 255, 0]);
  expect([...picture.subarray(28, 31)]).toEqual([0, 0, 255]);
  expect([...picture.subarray(32, 35)]).toEqual([9, 9, 9]);
  const edge = Buffer.alloc(4, 9);
  drawCursor(edge, { x: 0, y: 0, width: 1, height: 1 }, cursor, 0, 0);
  expect([...edge.subarray(0, 3)]).toEqual([9, 9, 9]);
});

test("makes the pointer's pixels transparent outside its mask", () => {
  const pixels = Buffer.alloc(9 * 4, 7);
  const result = withMask({ width: 9, height: 1 }, pixels, Buffer.from([0b1000_0000, 0b1000_0000]));
  expect([...result.subarray(0, 8)]).toEqual([7, 7, 7, 255, 0, 0, 0, 0]);
  expect([...result.subarray(32)]).toEqual([7, 7, 7, 255]);
});
