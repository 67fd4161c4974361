import { randomBytes } from 'node:crypto';
import { constants, createInflate, type Inflate } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, expect, test } from 'vitest';
import { Encoder } from '../../src/vnc-server/encoder.js';
import { eventually } from '../support/eventually.js';

const encoders: Encoder[] = [];
afterEach(() => {
  for (const encoder of encoders.splice(0)) encoder.close();
});

/** Milliseconds; passes only when a test says so. */
let now = 0;

function encoder(...encodings: number[]): Encoder {
  const created = new Encoder(() => now);
  created.accept(encodings);
  encoders.push(created);
  return created;
}

const TIGHT = 7;
const ZLIB = 6;
const region = { x: 3, y: 4, width: 256, height: 128 };
const pixels = (value: number) =>
  Buffer.from(
    Uint8Array.from({ length: region.width * region.height * 4 }, (_, i) => (i * value) & 255),
  );

test('decodes to the same pixels through one Zlib stream', async () => {
  const one = encoder(ZLIB);
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  const out: Buffer[] = [];
  inflate.on('data', (chunk: Buffer) => out.push(chunk));
  for (const value of [1, 7, 1]) {
    one.begin(region.width * region.height);
    const { data, rough } = await one.encode(region, pixels(value), 'any');
    expect(rough).toBe(false);
    expect([0, 2, 4, 6].map((at) => data.readUInt16BE(at))).toEqual([3, 4, 256, 128]);
    expect(data.readInt32BE(8)).toBe(ZLIB);
    expect(data.readUInt32BE(12)).toBe(data.length - 16);
    inflate.write(data.subarray(16));
    await eventually(async () => Buffer.concat(out).length >= pixels(value).length);
    expect(Buffer.concat(out.splice(0)).equals(pixels(value))).toBe(true);
  }
});

test('large successive changes become JPEG; small ones stay exact', async () => {
  const one = encoder(ZLIB, TIGHT);
  const large = region.width * region.height;
  const noise = randomBytes(large * 4);
  one.begin(large);
  expect((await one.encode(region, noise, 'any')).rough).toBe(false);
  now += 199;
  one.begin(large);
  const { data, rough } = await one.encode(region, noise, 'any');
  expect(rough).toBe(true);
  expect(data.readInt32BE(8)).toBe(TIGHT);
  expect(data[12]).toBe(0x90);
  const length = ((data[13] ?? 0) % 128) | (((data[14] ?? 0) % 128) << 7) | ((data[15] ?? 0) << 14);
  expect(length).toBe(data.length - 16);
  const { format, width, height } = await sharp(data.subarray(16)).metadata();
  expect({ format, width, height }).toEqual({ format: 'jpeg', width: 256, height: 128 });
  expect((await one.encode(region, noise, 'exact')).rough).toBe(false);
  now += 200;
  one.begin(large);
  expect((await one.encode(region, noise, 'any')).rough).toBe(false);
  one.begin(100);
  const small = { x: 0, y: 0, width: 10, height: 10 };
  expect((await one.encode(small, Buffer.alloc(400), 'any')).rough).toBe(false);
});

test('large successive changes that compress well, such as text, stay exact', async () => {
  const one = encoder(ZLIB, TIGHT);
  for (let frame = 0; frame < 20; frame += 1) {
    now += 30;
    one.begin(region.width * region.height);
    // As text of a terminal does, it compresses to a twentieth.
    const text = pixels(0).fill(randomBytes(6000), 0, 6000);
    const { data, rough } = await one.encode(region, text, 'any');
    expect(rough, `frame ${frame}`).toBe(false);
    expect(data.length / text.length).toBeCloseTo(0.05, 2);
  }
});

test('a slow connection gets JPEG for large rectangles', async () => {
  const one = encoder(ZLIB, TIGHT);
  one.took(100_000, 20_000);
  one.begin(region.width * region.height);
  expect((await one.encode(region, pixels(1), 'any')).rough).toBe(true);
});

test('a viewer without these encodings gets raw pixels', async () => {
  const { data } = await encoder().encode(region, pixels(5), 'any');
  expect(data.readInt32BE(8)).toBe(0);
  expect(data.subarray(12).equals(pixels(5))).toBe(true);
});

/** The pixels of a Tight rectangle with its Zlib stream, as red, green and blue. */
async function unpackTight(inflate: Inflate, data: Buffer, bytes: number): Promise<Buffer> {
  expect(data.readInt32BE(8)).toBe(TIGHT);
  expect(data[12]).toBe(0);
  const length = ((data[13] ?? 0) % 128) | (((data[14] ?? 0) % 128) << 7) | ((data[15] ?? 0) << 14);
  expect(length).toBe(data.length - 16);
  const out: Buffer[] = [];
  const collect = (chunk: Buffer) => out.push(chunk);
  inflate.on('data', collect);
  inflate.write(data.subarray(16));
  await eventually(async () => Buffer.concat(out).length >= bytes);
  inflate.off('data', collect);
  return Buffer.concat(out);
}

const colours = (rgba: Buffer) => rgba.filter((_, at) => at % 4 !== 3);

test('a viewer with Tight and without Zlib gets exact pixels through one Zlib stream', async () => {
  const one = encoder(TIGHT);
  one.order([2, 1, 0]);
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  for (const value of [1, 7]) {
    const { data, rough } = await one.encode(region, pixels(value), 'exact');
    const expected = colours(pixels(value));
    expect(rough).toBe(false);
    const found = await unpackTight(inflate, data, expected.length);
    expect(Buffer.compare(found, expected)).toBe(0);
  }
  const dot = { x: 0, y: 0, width: 1, height: 1 };
  const { data } = await one.encode(dot, Buffer.from([1, 2, 3, 4]), 'exact');
  expect([...data.subarray(8)]).toEqual([0, 0, 0, TIGHT, 0, 1, 2, 3]);
});

test('a viewer that gives up the encoding of its Zlib stream gets raw pixels', async () => {
  const one = encoder(ZLIB);
  await one.encode(region, pixels(1), 'exact');
  one.accept([TIGHT]);
  expect((await one.encode(region, pixels(1), 'exact')).data.readInt32BE(8)).toBe(0);
});

test('raw pixels have the order of the viewer', async () => {
  const one = encoder();
  one.order([2, 1, 0]);
  const { data } = await one.encode(region, Buffer.from([1, 2, 3, 0, 4, 5, 6, 0]), 'any');
  expect([...data.subarray(12)]).toEqual([3, 2, 1, 0, 6, 5, 4, 0]);
});

test('regions of a viewer with Tight and without Zlib are split into tiles that Tight can encode', () => {
  const wide = { x: 10, y: 20, width: 2050, height: 600 };
  expect(encoder(ZLIB).tiles([wide])).toEqual([wide]);
  expect(encoder(TIGHT).tiles([wide])).toEqual([
    { x: 10, y: 20, width: 2048, height: 512 },
    { x: 2058, y: 20, width: 2, height: 512 },
    { x: 10, y: 532, width: 2048, height: 88 },
    { x: 2058, y: 532, width: 2, height: 88 },
  ]);
});

test('the first frame is JPEG for a viewer that answers slowly', async () => {
  const large = { x: 0, y: 0, width: 1280, height: 800 };
  const screen = Buffer.alloc(1280 * 800 * 4, 7);
  for (const [ms, rough] of [
    [3, false],
    [100, true],
  ] as const) {
    const one = encoder(ZLIB, TIGHT);
    one.answered(ms);
    one.begin(1280 * 800);
    expect((await one.encode(large, screen, 'any')).rough).toBe(rough);
  }
  // What a frame took counts more.
  const quick = encoder(ZLIB, TIGHT);
  quick.answered(100);
  quick.took(1_000_000, 10);
  quick.begin(1280 * 800);
  expect((await quick.encode(large, screen, 'any')).rough).toBe(false);
});
