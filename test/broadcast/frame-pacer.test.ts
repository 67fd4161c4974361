// @module-tag slow
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FramePacer } from '../../src/broadcast/frame-pacer.js';
import { outputSize } from '../../src/broadcast/video.js';
import type { VideoFrame } from '../../src/screen/types.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class FakeFrame implements VideoFrame {
  size = { width: 4, height: 2 };
  version = 1;
  open = true;
  reads = 0;
  read(target: Buffer) {
    this.reads += 1;
    target.fill(this.version);
  }
  stop() {}
}

function setUp(options: { fps: number; takesMs: number }) {
  const frame = new FakeFrame();
  const source = { frame };
  const written: number[] = [];
  const state = { takesMs: options.takesMs, resized: 0 };
  const sink = {
    size: frame.size,
    write: (picture: Buffer, taken: () => void) => {
      written.push(picture[0] ?? 0);
      setTimeout(taken, state.takesMs);
    },
  };
  const onResize = () => {
    state.resized += 1;
  };
  const pacer = new FramePacer({ fps: options.fps, source, sink, onResize });
  return { frame, source, written, state, pacer };
}

it('writes as many frames as the time requires, and copies only what changed', async () => {
  const { frame, written, pacer } = setUp({ fps: 30, takesMs: 5 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(written.length).toBeGreaterThanOrEqual(30);
  expect(written.length).toBeLessThanOrEqual(31);
  expect(frame.reads).toBe(1);
  frame.version = 2;
  await vi.advanceTimersByTimeAsync(100);
  expect(frame.reads).toBe(2);
  expect(written.at(-1)).toBe(2);
  pacer.stop();
  const { length } = written;
  await vi.advanceTimersByTimeAsync(1000);
  expect(written).toHaveLength(length);
});

it('writes no frame while one is pending, and catches up afterwards', async () => {
  const { frame, written, state } = setUp({ fps: 30, takesMs: 1000 });
  await vi.advanceTimersByTimeAsync(900);
  expect(written).toHaveLength(1);
  frame.version = 7;
  state.takesMs = 1;
  await vi.advanceTimersByTimeAsync(1100);
  expect(written.length).toBeGreaterThanOrEqual(59);
  expect(written.length).toBeLessThanOrEqual(61);
  expect(new Set(written.slice(1))).toEqual(new Set([7]));
});

it('does not catch up after a long pause', async () => {
  const { written, state } = setUp({ fps: 30, takesMs: 3_600_000 });
  await vi.advanceTimersByTimeAsync(10);
  state.takesMs = 1;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(written.length).toBeLessThan(200);
});

it('continues with the frame of a new connection, and ends when its size differs', async () => {
  const { source, written, state } = setUp({ fps: 30, takesMs: 1 });
  await vi.advanceTimersByTimeAsync(100);
  const next = new FakeFrame();
  source.frame = next;
  await vi.advanceTimersByTimeAsync(100);
  expect(next.reads).toBe(1);
  const { length } = written;
  next.size = { width: 8, height: 2 };
  await vi.advanceTimersByTimeAsync(1000);
  expect(state.resized).toBe(1);
  expect(written.length).toBe(length);
});

it('scales sizes above 1080p, keeps the aspect ratio, and returns even sizes', () => {
  expect(outputSize({ width: 1280, height: 800 })).toEqual({ width: 1280, height: 800 });
  expect(outputSize({ width: 3840, height: 2160 })).toEqual({ width: 1920, height: 1080 });
  expect(outputSize({ width: 1920, height: 1200 })).toEqual({ width: 1728, height: 1080 });
  expect(outputSize({ width: 1000, height: 2160 })).toEqual({ width: 500, height: 1080 });
});
