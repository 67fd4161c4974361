import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { Framebuffer } from '../../../src/screen/model/framebuffer.js';
import { readHextile } from '../../../src/screen/rfb/hextile.js';
import { ByteReader } from '../../../src/screen/rfb/reader.js';

const [RAW, BACKGROUND, FOREGROUND, SUBRECTS, COLOURED] = [1, 2, 4, 8, 16];
const RED = [255, 0, 0, 0];
const GREEN = [0, 255, 0, 0];
const BLUE = [0, 0, 255, 0];

/** The decoded rectangle at 0,0 of this size, as the letters r, g, b and `.` for black. */
async function decode(width: number, height: number, bytes: readonly number[]): Promise<string[]> {
  const framebuffer = new Framebuffer({ width, height });
  const region = { x: 0, y: 0, width, height };
  // Split into pieces, as a network may deliver them.
  const data = Buffer.from(bytes);
  const pieces = Array.from(data, (byte) => Buffer.from([byte]));
  const reader = new ByteReader(Readable.from(pieces, { objectMode: false }));
  await readHextile(reader, region, (offset, pixels) => framebuffer.write(region, offset, pixels));
  const pixels = Buffer.alloc(width * height * 4);
  framebuffer.read(region, pixels);
  const letter = (at: number) => {
    const [r, g, b] = pixels.subarray(at, at + 3);
    return r ? 'r' : g ? 'g' : b ? 'b' : '.';
  };
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => letter((y * width + x) * 4)).join(''),
  );
}

describe('a rectangle in Hextile', () => {
  test('keeps the background colour from tile to tile, also in narrow ones at the edges', async () => {
    const rows = await decode(18, 17, [BACKGROUND, ...RED, 0, 0, BACKGROUND, ...BLUE]);
    expect(rows.slice(0, 16)).toEqual(Array(16).fill('r'.repeat(18)));
    expect(rows[16]).toBe(`${'r'.repeat(16)}bb`);
  });

  test('has smaller rectangles in one colour or one colour each', async () => {
    const one = [BACKGROUND | FOREGROUND | SUBRECTS, ...RED, ...GREEN, 2];
    const rows = await decode(4, 3, [...one, 0x00, 0x10, 0x32, 0x00]);
    expect(rows).toEqual(['ggrr', 'rrrr', 'rrrg']);
    const each = [BACKGROUND | SUBRECTS | COLOURED, ...RED, 2];
    expect(await decode(3, 2, [...each, ...BLUE, 0x00, 0x01, ...GREEN, 0x20, 0x00])).toEqual([
      'brg',
      'brr',
    ]);
  });

  test('keeps the foreground colour across a raw tile', async () => {
    const first = [BACKGROUND | FOREGROUND | SUBRECTS, ...RED, ...GREEN, 1, 0x00, 0xff];
    const pixels = [RAW, ...Array(16).fill(BLUE).flat()];
    const rows = await decode(33, 1, [
      BACKGROUND | FOREGROUND | SUBRECTS,
      ...RED,
      ...GREEN,
      1,
      0x00,
      0xf0,
      ...pixels,
      SUBRECTS,
      1,
      0x00,
      0x00,
    ]);
    expect(rows).toEqual([`${'g'.repeat(16)}${'b'.repeat(16)}g`]);
    await expect(decode(16, 4, first)).rejects.toThrow('outside a tile');
  });

  test('reports which rows changed, and none when nothing did', async () => {
    const framebuffer = new Framebuffer({ width: 2, height: 40 });
    const region = { x: 0, y: 0, width: 2, height: 40 };
    const paint = (bytes: number[]) =>
      readHextile(
        new ByteReader(Readable.from([Buffer.from(bytes)], { objectMode: false })),
        region,
        (offset, pixels) => framebuffer.write(region, offset, pixels),
      );
    const dot = [BACKGROUND | FOREGROUND | SUBRECTS, 0, 0, 0, 0, ...GREEN, 1];
    const bytes = [BACKGROUND, 0, 0, 0, 0, ...dot, 0x12, 0x00, 0];
    expect(await paint(bytes)).toEqual({ first: 18, last: 18 });
    expect(await paint(bytes)).toBeUndefined();
  });

  test('is decoded without waiting for tiles that have arrived', async () => {
    const region = { x: 0, y: 0, width: 1280, height: 800 };
    const framebuffer = new Framebuffer(region);
    const bytes = Buffer.from([BACKGROUND, ...RED, ...Array(80 * 50 - 1).fill(0)]);
    const reader = new ByteReader(Readable.from([bytes], { objectMode: false }));
    const peek = vi.spyOn(reader, 'peek');
    await readHextile(reader, region, (offset, pixels) =>
      framebuffer.write(region, offset, pixels),
    );
    expect(peek).toHaveBeenCalledTimes(1);
    const pixel = Buffer.alloc(4);
    framebuffer.read({ x: 1279, y: 799, width: 1, height: 1 }, pixel);
    expect([...pixel]).toEqual(RED);
  });

  test('is rejected if malformed', async () => {
    await expect(decode(4, 4, [0])).rejects.toThrow('without a colour');
    const outside = [BACKGROUND | SUBRECTS | COLOURED, ...RED, 1, ...BLUE, 0x33, 0x01];
    await expect(decode(4, 4, outside)).rejects.toThrow('outside a tile');
    await expect(decode(4, 4, [RAW, 1, 2, 3])).rejects.toThrow();
    const coats = Array(5)
      .fill([...BLUE, 0x00, 0x33])
      .flat();
    const over = [BACKGROUND | SUBRECTS | COLOURED, ...RED, 5, ...coats];
    await expect(decode(4, 4, over)).rejects.toThrow('too often');
  });
});
