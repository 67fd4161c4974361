// @module-tag slow
import { afterEach, describe, expect, test, vi } from 'vitest';
import { convert, evenRegion } from '../../../src/screen/capture/yuv.js';
import { openScreen } from '../../../src/screen/index.js';
import { Framebuffer } from '../../../src/screen/model/framebuffer.js';
import type { Size, VideoFrame } from '../../../src/screen/types.js';
import { FakeServer, raw, rectangle, update } from '../fake-server.js';

const area = ({ width, height }: Size) => width * height;
const dot = (x: number, y: number) => ({ x, y, width: 1, height: 1 });

const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

async function openFrame(options: { width: number; height: number }) {
  const server = new FakeServer(options);
  const screen = await openScreen(server.client, { pointer: { x: 0, y: 0 } });
  return { server, screen, frame: screen.videoFrame(1) };
}

/** Y, U and V of the pixel at a point. */
function at(frame: VideoFrame, x: number, y: number): number[] {
  const { width, height } = frame.size;
  const data = Buffer.alloc((width * height * 3) / 2);
  frame.read(data);
  const luma = width * height;
  const chroma = (y >> 1) * (width / 2) + (x >> 1);
  return [data[y * width + x] ?? 0, data[luma + chroma] ?? 0, data[luma * 1.25 + chroma] ?? 0];
}

// BT.709, limited range: published reference values.
const COLOURS = [
  [0x000000, [16, 128, 128]],
  [0xffffff, [235, 128, 128]],
  [0xff0000, [63, 102, 240]],
  [0x00ff00, [173, 42, 26]],
  [0x0000ff, [32, 240, 118]],
] as const;

test('converts each colour correctly everywhere on the screen', async () => {
  const { server, frame: shown } = await openFrame({ width: 64, height: 48 });
  for (const [colour, expected] of COLOURS) {
    server.paint(colour);
    await settled();
    for (const [x, y] of [
      [0, 0],
      [63, 47],
      [31, 20],
    ] as const) {
      const near = at(shown, x, y).every((part, i) => Math.abs(part - (expected[i] ?? 0)) <= 1);
      expect(near, `${colour.toString(16)} at ${x},${y}: ${at(shown, x, y)}`).toBe(true);
    }
  }
});

test('changes its version only when the image changes', async () => {
  const { server, frame: shown } = await openFrame({ width: 64, height: 48 });
  await settled();
  const { version } = shown;
  await settled();
  expect(shown.version).toBe(version);
  server.paint(0xff0000);
  await settled();
  expect(shown.version).toBeGreaterThan(version);
});

test('converts once what changed many times since it was looked at', async () => {
  const { server, frame: shown } = await openFrame({ width: 64, height: 48 });
  await settled();
  const { version } = shown;
  for (let nth = 0; nth < 10; nth++) {
    server.paint(nth % 2 === 0 ? 0xff0000 : 0xffffff);
    await settled();
  }
  expect(shown.version).toBe(version + 1);
  expect(at(shown, 5, 5)[0]).toBe(235);
});

test('drops an odd last column and row', async () => {
  const { frame: shown } = await openFrame({ width: 65, height: 49 });
  expect(shown.size).toEqual({ width: 64, height: 48 });
});

test('keeps its last image when the connection ends, and can be stopped twice', async () => {
  const { server, screen, frame: shown } = await openFrame({ width: 64, height: 48 });
  server.paint(0xffffff);
  await settled();
  screen.close();
  expect(shown.open).toBe(false);
  expect(at(shown, 5, 5)[0]).toBe(235);
  shown.stop();
  shown.stop();
  expect(() => screen.videoFrame(1)).toThrow();
});

test('a region with odd edges grows to even ones and is clipped to the image', () => {
  const size = { width: 64, height: 48 };
  expect(evenRegion({ x: 3, y: 5, width: 2, height: 1 }, size)).toEqual({
    x: 2,
    y: 4,
    width: 4,
    height: 2,
  });
  expect(evenRegion({ x: -9, y: 40, width: 12, height: 30 }, size)).toEqual({
    x: 0,
    y: 40,
    width: 4,
    height: 8,
  });
  expect(evenRegion({ x: 64, y: 0, width: 1, height: 1 }, size)).toBeUndefined();
});

test('converting a part gives the same result as converting the whole', () => {
  const size = { width: 8, height: 6 };
  const pixels = Uint32Array.from({ length: 48 }, (_, i) => (i * 2654435761) >>> 0);
  const whole = { size, data: new Uint8Array(72) };
  convert(pixels, { x: 0, y: 0, ...size }, whole);
  const parts = { size, data: new Uint8Array(72) };
  for (let y = 0; y < 6; y += 2) {
    for (let x = 0; x < 8; x += 4) {
      const rows = [y, y + 1].flatMap((row) => [...pixels.subarray(row * 8 + x, row * 8 + x + 4)]);
      convert(Uint32Array.from(rows), { x, y, width: 4, height: 2 }, parts);
    }
  }
  expect(parts.data).toEqual(whole.data);
});

describe('work', () => {
  afterEach(() => void vi.restoreAllMocks());

  const size = { width: 1280, height: 720 };

  async function openOutputs(outputs: number) {
    const server = new FakeServer(size);
    const screen = await openScreen(server.client, { pointer: { x: 0, y: 0 } });
    const shown = Array.from({ length: outputs }, () => screen.videoFrame(1000));
    const target = Buffer.alloc((area(size) * 3) / 2);
    for (const frame of shown) frame.read(target);
    const read = vi.spyOn(Framebuffer.prototype, 'read');
    const pixels = () => read.mock.calls.reduce((sum, [region]) => sum + area(region), 0);
    /** Lets all outputs look at the image. */
    const look = () => shown.map(({ version }) => version);
    return { server, screen, look, pixels };
  }

  test('of many small changes only their surroundings are converted', async () => {
    const { server, screen, look, pixels } = await openOutputs(1);
    const near = Array.from({ length: 63 }, (_, nth) => raw(dot(4 * nth, 40), 0xffffff));
    server.send(update(raw(dot(0, 0), 1), ...near, raw(dot(1279, 719), 1)));
    await settled();
    look();
    expect(pixels()).toBeGreaterThan(64);
    expect(pixels()).toBeLessThan(2000);
    screen.close();
  });

  test('several outputs of a screen share its image', async () => {
    const { server, screen, look, pixels } = await openOutputs(3);
    server.send(update(raw({ x: 0, y: 0, width: 100, height: 100 }, 0xffffff)));
    await settled();
    expect(new Set(look()).size).toBe(1);
    expect(pixels()).toBe(100 * 100);
    screen.close();
  });

  test('a screen that changes all the time has a limit, and then shows the newest image', async () => {
    const { server, screen, look, pixels } = await openOutputs(1);
    // A copy of almost the whole screen (CopyRect) takes a few bytes.
    const copy = update(
      rectangle({ x: 0, y: 0, width: 1279, height: 719 }, 1, Buffer.from([0, 1, 0, 1])),
    );
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      for (let nth = 0; nth < 40; nth++) {
        server.send(copy);
        await new Promise((resolve) => setTimeout(resolve, 17));
        look();
      }
      expect(pixels() / area(size)).toBeGreaterThan(5);
      expect(pixels() / area(size)).toBeLessThan(25);
      const [before] = look();
      now += 1000;
      expect(look()[0]).toBeGreaterThan(before ?? 0);
    } finally {
      clock.mockRestore();
      screen.close();
    }
  });
});
