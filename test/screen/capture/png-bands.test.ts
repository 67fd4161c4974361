// @module-tag slow
import { crc32, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { PngBands } from '../../../src/screen/capture/png/bands.js';
import type { Size } from '../../../src/screen/geometry.js';
import { type DrawnCursor, drawCursor } from '../../../src/screen/model/cursor.js';
import { BAND_ROWS, Framebuffer } from '../../../src/screen/model/framebuffer.js';
import { inTier } from '../../support/run/tiers.js';

/** The colours that a picture has to show: three bytes per pixel. */
function colours(framebuffer: Framebuffer, pointer?: DrawnCursor): Buffer {
  const { bounds } = framebuffer;
  const pixels = framebuffer.copyOf(bounds) ?? Buffer.alloc(0);
  if (pointer !== undefined) drawCursor(pixels, bounds, pointer.cursor, pointer.x, pointer.y);
  return Buffer.from(pixels.filter((_, at) => at % 4 !== 3));
}

/** A picture in memory of its own, which is overwritten afterwards. */
async function take(bands: PngBands, framebuffer: Framebuffer, pointer?: DrawnCursor) {
  const { width, height } = framebuffer.size;
  const memory = Buffer.alloc(width * height * 4, 77);
  const png = await bands.encode(memory, pointer);
  memory.fill(99);
  return png;
}

/** Checks every chunk and checksum, and returns the filtered rows. */
function strictRows(png: Buffer, { width, height }: Size): Buffer {
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  const types: string[] = [];
  const data: Buffer[] = [];
  let next = 8;
  while (next < png.length) {
    const length = png.readUInt32BE(next);
    const body = png.subarray(next + 8, next + 8 + length);
    const type = png.toString('latin1', next + 4, next + 8);
    expect(crc32(png.subarray(next + 4, next + 8 + length))).toBe(
      png.readUInt32BE(next + 8 + length),
    );
    if (type === 'IHDR')
      expect([body.readUInt32BE(0), body.readUInt32BE(4)]).toEqual([width, height]);
    if (type === 'IDAT') data.push(body);
    if (types.at(-1) !== type) types.push(type);
    next += length + 12;
  }
  expect(next).toBe(png.length);
  expect(types).toEqual(['IHDR', 'IDAT', 'IEND']);
  const stream = Buffer.concat(data);
  // Throws for a wrong Adler-32, and says how much of the stream it has read.
  const { buffer: rows, engine } = inflateSync(stream, { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  expect(engine.bytesWritten).toBe(stream.length);
  expect(rows).toHaveLength((3 * width + 1) * height);
  return rows;
}

async function expectExact(png: Buffer, size: Size, expected: Buffer): Promise<void> {
  strictRows(png, size);
  const decoded = sharp(png, { failOn: 'warning' }).raw();
  const { data, info } = await decoded.toBuffer({ resolveWithObject: true });
  expect({ width: info.width, height: info.height, channels: info.channels }).toEqual({
    ...size,
    channels: 3,
  });
  expect(data.equals(expected)).toBe(true);
}

const part = fc.integer({ min: 0, max: 999 });
const changeArbitrary = fc.record({
  kind: fc.constantFrom('flat', 'stripes', 'noise', 'copy'),
  place: fc.tuple(part, part, part, part),
  from: fc.tuple(part, part),
  colour: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
});
type Change = typeof changeArbitrary extends fc.Arbitrary<infer T> ? T : never;
const roundsArbitrary = fc.array(fc.array(changeArbitrary, { maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

/** A number below `end`, at `thousandths` of it. */
const at = (thousandths: number, end: number) => Math.floor((thousandths * end) / 1000);

function apply({ kind, place, from, colour }: Change, framebuffer: Framebuffer): void {
  const { size } = framebuffer;
  const x = at(place[0], size.width);
  const y = at(place[1], size.height);
  const width = 1 + at(place[2], size.width - x);
  const region = { x, y, width, height: 1 + at(place[3], size.height - y) };
  if (kind === 'copy') {
    const left = at(from[0], size.width - region.width + 1);
    const top = at(from[1], size.height - region.height + 1);
    framebuffer.copy(left, top, region);
    return;
  }
  const pixels = Buffer.alloc(region.width * region.height * 4);
  for (let index = 0; index < pixels.length / 4; index++) {
    const other = kind === 'noise' ? Math.imul(index + 1, 2654435761) ^ (index >>> 3) : ~colour;
    const isOther = kind === 'noise' || (kind === 'stripes' && index % 6 < 2);
    pixels.writeUInt32LE((isOther ? other : colour) >>> 0, index * 4);
  }
  framebuffer.write(region, 0, pixels);
}

const SIZES = [
  { width: 1, height: 1 },
  { width: 1, height: 2 * BAND_ROWS },
  { width: 3, height: BAND_ROWS - 1 },
  { width: 5, height: BAND_ROWS },
  { width: 127, height: BAND_ROWS + 1 },
  { width: 641, height: 3 * BAND_ROWS + 7 },
];

test.each(SIZES)('$width x $height pixels are exact after any changes', async (size) => {
  const property = fc.asyncProperty(roundsArbitrary, async (rounds) => {
    const framebuffer = new Framebuffer(size);
    const bands = new PngBands(framebuffer);
    for (const changes of rounds) {
      for (const change of changes) apply(change, framebuffer);
      await expectExact(await take(bands, framebuffer), size, colours(framebuffer));
    }
  });
  await fc.assert(property, { numRuns: inTier({ thorough: 12, quick: 4 }) });
});

test('noise that hardly gets smaller is exact', async () => {
  const size = { width: 2100, height: BAND_ROWS + 2 };
  const framebuffer = new Framebuffer(size);
  apply({ kind: 'noise', place: [0, 0, 999, 999], from: [0, 0], colour: 1 }, framebuffer);
  const bands = new PngBands(framebuffer);
  await expectExact(await take(bands, framebuffer), size, colours(framebuffer));
});

const sizeArbitrary = fc.record({
  width: fc.constantFrom(1, 40, 41, 200),
  height: fc.constantFrom(1, 20, BAND_ROWS, 100),
});

test('pixels are exact after changes of the size, at the same height too', async () => {
  const step = fc.tuple(sizeArbitrary, fc.boolean(), changeArbitrary);
  const property = fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
    const framebuffer = new Framebuffer({ width: 40, height: 100 });
    const bands = new PngBands(framebuffer);
    for (const [size, isResized, change] of steps) {
      if (isResized) framebuffer.resize(size);
      await expectExact(await take(bands, framebuffer), framebuffer.size, colours(framebuffer));
      apply(change, framebuffer);
      await expectExact(await take(bands, framebuffer), framebuffer.size, colours(framebuffer));
    }
  });
  await fc.assert(property, { numRuns: 20 });
});

test('a picture shows the moment of its request while the screen changes', async () => {
  const changes = fc.array(fc.tuple(changeArbitrary, fc.boolean()), { minLength: 2, maxLength: 8 });
  const property = fc.asyncProperty(sizeArbitrary, changes, async (size, steps) => {
    const framebuffer = new Framebuffer({ width: 333, height: 3 * BAND_ROWS + 3 });
    const bands = new PngBands(framebuffer);
    const taken = steps.map(([change, isLast], index) => {
      apply(change, framebuffer);
      const expected = { size: framebuffer.size, pixels: colours(framebuffer) };
      const picture = take(bands, framebuffer);
      if (isLast && index === 3) framebuffer.resize(size);
      return { ...expected, picture };
    });
    for (const { size, pixels, picture } of taken) await expectExact(await picture, size, pixels);
    await expectExact(await take(bands, framebuffer), framebuffer.size, colours(framebuffer));
  });
  await fc.assert(property, { numRuns: 15 });
});

test('the pointer is drawn where it is, across bands and edges, and is gone without it', async () => {
  const size = { width: 50, height: 3 * BAND_ROWS };
  const pixels = Buffer.alloc(9 * 70 * 4, Buffer.from([200, 100, 50, 255]));
  const cursor = { hotX: 2, hotY: 3, width: 9, height: 70, pixels };
  const place = fc.record({
    x: fc.integer({ min: 0, max: size.width - 1 }),
    y: fc.integer({ min: 0, max: size.height - 1 }),
  });
  const step = fc.tuple(fc.option(place), fc.option(changeArbitrary));
  const property = fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
    const framebuffer = new Framebuffer(size);
    const bands = new PngBands(framebuffer);
    for (const [place, change] of steps) {
      if (change !== null) apply(change, framebuffer);
      const pointer = place === null ? undefined : { cursor, ...place };
      await expectExact(
        await take(bands, framebuffer, pointer),
        size,
        colours(framebuffer, pointer),
      );
    }
  });
  await fc.assert(property, { numRuns: 20 });
});

test('the same pixels give the same bytes, whatever was there before', async () => {
  const property = fc.asyncProperty(roundsArbitrary, async (rounds) => {
    const framebuffer = new Framebuffer({ width: 300, height: 100 });
    const bands = new PngBands(framebuffer);
    apply({ kind: 'noise', place: [0, 0, 999, 999], from: [0, 0], colour: 1 }, framebuffer);
    for (const changes of rounds) {
      for (const change of changes) apply(change, framebuffer);
      const picture = await take(bands, framebuffer);
      expect(picture.equals(await take(new PngBands(framebuffer), framebuffer))).toBe(true);
    }
  });
  await fc.assert(property, { numRuns: 10 });
});
