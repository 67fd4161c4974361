import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { openScreen, type PictureOptions, type Screen } from '../../../src/screen/index.js';
import { FakeServer, rectangle, update } from '../fake-server.js';

const PNG: PictureOptions = { format: 'png', quality: 80, scale: 1, cursor: false };

/** A screen of 64x48: left half red, right half blue, and a white pointer of 2x2. */
async function open(): Promise<{ server: FakeServer; screen: Screen }> {
  const server = new FakeServer();
  const screen = await openScreen(server.client, { pointer: { x: 10, y: 20 } });
  const head = Buffer.from([0, 0, 0, 0]);
  const picture = Buffer.concat([head, Buffer.alloc(16, 255)]);
  server.send(update(rectangle({ x: 0, y: 0, width: 2, height: 2 }, -314, picture)));
  server.paint(0xff0000, { x: 0, y: 0, width: 32, height: 48 });
  server.paint(0x0000ff, { x: 32, y: 0, width: 32, height: 48 });
  return { server, screen };
}

async function pixel(data: Buffer, x: number, y: number): Promise<number> {
  const { data: pixels, info } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
  expect(info.channels).toBe(3);
  return pixels.readUIntBE((y * info.width + x) * 3, 3);
}

test("preserves every pixel's colour in a PNG", async () => {
  const { screen } = await open();
  const { data, width, height, format } = await screen.screenshot(PNG);
  expect({ width, height, format }).toEqual({ width: 64, height: 48, format: 'png' });
  expect(await pixel(data, 31, 47)).toBe(0xff0000);
  expect(await pixel(data, 32, 0)).toBe(0x0000ff);
});

test.each(['jpeg', 'webp'] as const)(
  'gives nearly every pixel its colour as %s',
  async (format) => {
    const { screen } = await open();
    const { data } = await screen.screenshot({ ...PNG, format });
    expect((await sharp(data).metadata()).format).toBe(format);
    const colour = await pixel(data, 8, 8);
    expect(colour >> 16).toBeGreaterThan(240);
    expect(colour & 0xffff).toBeLessThan(0x2020);
  },
);

test('crops to a region', async () => {
  const { screen } = await open();
  const region = { x: 30, y: 5, width: 4, height: 3 };
  const { data, width, height } = await screen.screenshot({ ...PNG, region });
  expect({ width, height }).toEqual({ width: 4, height: 3 });
  expect(await pixel(data, 1, 2)).toBe(0xff0000);
  expect(await pixel(data, 2, 0)).toBe(0x0000ff);
});

test('scales without changing colours', async () => {
  const { screen } = await open();
  const { data, width, height } = await screen.screenshot({ ...PNG, scale: 0.25 });
  expect({ width, height }).toEqual({ width: 16, height: 12 });
  expect(await pixel(data, 3, 6)).toBe(0xff0000);
  expect(await pixel(data, 12, 6)).toBe(0x0000ff);
  expect(await screen.screenshot({ ...PNG, scale: 0.01 })).toMatchObject({ width: 1, height: 1 });
});

test('a small picture has the average of the pixels', async () => {
  const { server, screen } = await open();
  for (let x = 0; x < 64; x += 2) server.paint(0x204060, { x, y: 0, width: 1, height: 48 });
  for (let x = 1; x < 64; x += 2) server.paint(0xc0a080, { x, y: 0, width: 1, height: 48 });
  const { data } = await screen.screenshot({ ...PNG, scale: 0.25 });
  for (const [x, y] of [
    [0, 0],
    [15, 11],
    [7, 5],
  ] as const)
    expect(await pixel(data, x, y)).toBe(0x707070);
  const { data: odd, width, height } = await screen.screenshot({ ...PNG, scale: 0.3 });
  expect({ width, height }).toEqual({ width: 19, height: 14 });
  expect(await pixel(odd, 9, 7)).toBe(0x707070);
});

test('draws the pointer only on request', async () => {
  const { screen } = await open();
  const plain = await screen.screenshot(PNG);
  const pointed = await screen.screenshot({ ...PNG, cursor: true });
  expect(await pixel(plain.data, 10, 20)).toBe(0xff0000);
  expect(await pixel(pointed.data, 10, 20)).toBe(0xffffff);
  expect(await pixel(pointed.data, 11, 21)).toBe(0xffffff);
  expect(await pixel(pointed.data, 12, 21)).toBe(0xff0000);
  await screen.move(40, 4);
  const moved = await screen.screenshot({ ...PNG, cursor: true });
  expect(await pixel(moved.data, 10, 20)).toBe(0xff0000);
  expect(await pixel(moved.data, 40, 4)).toBe(0xffffff);
});

test('does not encode an unchanged screen again', async () => {
  const { server, screen } = await open();
  const first = await screen.screenshot(PNG);
  expect((await screen.screenshot(PNG)).data).toBe(first.data);
  const other = await screen.screenshot({ ...PNG, format: 'jpeg' });
  expect(other.data).not.toBe(first.data);
  server.paint(0x010203);
  const changed = await screen.screenshot(PNG);
  expect(await pixel(changed.data, 0, 0)).toBe(0x010203);
});

test('does not encode again what other pictures were taken between', async () => {
  const { server, screen } = await open();
  const kinds: PictureOptions[] = [
    PNG,
    { ...PNG, format: 'jpeg', scale: 0.25 },
    { ...PNG, format: 'webp' },
    { ...PNG, region: { x: 0, y: 0, width: 20, height: 20 } },
  ];
  const taken: Buffer[] = [];
  for (const kind of kinds) taken.push((await screen.screenshot(kind)).data);
  for (const [at, kind] of kinds.entries()) {
    expect((await screen.screenshot(kind)).data).toBe(taken[at]);
  }
  // A change of the last rows only.
  server.paint(0x00ff00, { x: 0, y: 40, width: 64, height: 8 });
  for (const [at, kind] of kinds.entries()) {
    const { data } = await screen.screenshot(kind);
    if (kind.region === undefined) expect(data).not.toBe(taken[at]);
    else expect(data).toBe(taken[at]);
  }
});

test('shows small changes of a large screen, each pixel in its colour', async () => {
  const size = { width: 200, height: 320 };
  const server = new FakeServer(size);
  const screen = await openScreen(server.client, { pointer: { x: 0, y: 0 } });
  const chunks: number[] = [];
  for (let at = 0; at < 5; at++) {
    server.paint(0x123400 + at, { x: 7, y: 40, width: 2, height: 3 });
    const { data, width, height } = await screen.screenshot(PNG);
    expect({ width, height }).toEqual(size);
    expect(await pixel(data, 8, 42)).toBe(0x123400 + at);
    expect(await pixel(data, 9, 42)).toBe(0x336699);
    chunks.push(data.toString('latin1').split('IDAT').length - 1);
  }
  // The last ones are made of a chunk for each band.
  expect(chunks.map((count) => count > 10)).toEqual([false, false, true, true, true]);
});

test('gives the same bytes for the same pixels while little changes', async () => {
  const server = new FakeServer({ width: 200, height: 320 });
  const screen = await openScreen(server.client, { pointer: { x: 0, y: 0 } });
  const caret = { x: 70, y: 100, width: 2, height: 16 };
  const taken: string[] = [];
  for (let at = 0; at < 10; at++) {
    server.paint(at % 2 === 0 ? 0x336699 : 0xffffff, caret);
    for (let again = 0; again < 2; again++) {
      taken.push((await screen.screenshot(PNG)).data.toString('base64'));
    }
  }
  const [off, on] = taken.slice(-4, -1).filter((_, index) => index !== 1);
  expect(off).not.toBe(on);
  // The way is settled after the third picture.
  const settled = taken.slice(6);
  expect(settled).toEqual(settled.map((_, at) => (at % 4 < 2 ? on : off)));
  server.paint(0x123456, { x: 0, y: 0, width: 200, height: 320 });
  const large = await screen.screenshot(PNG);
  expect(await pixel(large.data, 70, 100)).toBe(0x123456);
  expect((await screen.screenshot(PNG)).data.equals(large.data)).toBe(true);
});

test('keeps no pictures of a screen that nobody has looked at for a minute', async () => {
  const { screen } = await open();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { data } = await screen.screenshot(PNG);
    vi.advanceTimersByTime(40_000);
    expect((await screen.screenshot(PNG)).data).toBe(data);
    vi.advanceTimersByTime(60_000);
    const later = await screen.screenshot(PNG);
    expect(later.data).not.toBe(data);
    expect(later.data.equals(data)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('gives concurrent callers the image that each requested', async () => {
  const { screen } = await open();
  const wanted = Array.from({ length: 30 }, (_, index) => ({
    ...PNG,
    region: { x: index, y: index, width: 4 + index, height: 4 },
  }));
  const pictures = await Promise.all(wanted.map((options) => screen.screenshot(options)));
  for (const [index, { data, width }] of pictures.entries()) {
    expect(width).toBe(4 + index);
    expect(await pixel(data, 3 + index, 0)).toBe(index * 2 + 3 < 32 ? 0xff0000 : 0x0000ff);
  }
});
