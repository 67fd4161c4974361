import { Deflate } from 'node:zlib';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { PngBands } from '../../../src/screen/capture/png/bands.js';
import type { Region } from '../../../src/screen/geometry.js';
import { BAND_ROWS, Framebuffer } from '../../../src/screen/model/framebuffer.js';

test('compresses again only bands that have changed', async () => {
  const size = { width: 200, height: 10 * BAND_ROWS };
  const framebuffer = new Framebuffer(size);
  const read: number[] = [];
  const counted = Object.create(framebuffer, {
    read: {
      value: (region: Region, target: Buffer) => {
        read.push(region.y / BAND_ROWS);
        framebuffer.read(region, target);
      },
    },
    size: { get: () => framebuffer.size },
    versionOf: { value: (region: Region) => framebuffer.versionOf(region) },
  }) as Framebuffer;
  const bands = new PngBands(counted);
  const memory = Buffer.alloc(size.width * size.height * 4);
  await bands.encode(memory);
  expect(read).toHaveLength(10);
  read.length = 0;
  await bands.encode(memory);
  expect(read).toEqual([]);
  const region = { x: 5, y: 3 * BAND_ROWS + 31, width: 4, height: 2 };
  framebuffer.write(region, 0, Buffer.alloc(32, 9));
  await bands.encode(memory);
  expect(read).toEqual([3, 4]);
  bands.clear();
  read.length = 0;
  await bands.encode(memory);
  expect(read).toHaveLength(10);
});

test('chooses bands after two pictures with few changes, and keeps the way of an unchanged screen', () => {
  const size = { width: 8, height: 9 * BAND_ROWS };
  const framebuffer = new Framebuffer(size);
  const bands = new PngBands(framebuffer);
  let value = 0;
  const change = (rows: number) => {
    value += 1;
    const pixels = Buffer.alloc(size.width * rows * 4, value);
    framebuffer.write({ x: 0, y: 0, width: size.width, height: rows }, 0, pixels);
    return bands.choose();
  };
  expect(bands.choose()).toBe('whole');
  expect([change(1), change(3 * BAND_ROWS)]).toEqual(['whole', 'bands']);
  bands.clear();
  expect(bands.choose()).toBe('bands');
  expect([change(1), change(1), change(3 * BAND_ROWS + 1)]).toEqual(['whole', 'bands', 'whole']);
  expect([bands.choose(), change(1), change(1)]).toEqual(['whole', 'whole', 'bands']);
});

test('a band that could not be compressed spoils neither the others nor the next picture', async () => {
  const size = { width: 70, height: 8 * BAND_ROWS };
  const framebuffer = new Framebuffer(size);
  const bands = new PngBands(framebuffer);
  const memory = Buffer.alloc(size.width * size.height * 4);
  framebuffer.write(framebuffer.bounds, 0, Buffer.alloc(memory.length, 5));
  const flush = vi.spyOn(Deflate.prototype, 'flush').mockImplementationOnce(function (
    this: Deflate,
  ) {
    this.emit('error', new Error('no memory'));
  });
  await expect(bands.encode(memory)).rejects.toThrow('no memory');
  flush.mockRestore();
  // From now on the memory is another picture's.
  memory.fill(9);
  const { data } = await sharp(await bands.encode(memory))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(data.equals(Buffer.alloc(size.width * size.height * 3, 5))).toBe(true);
});
