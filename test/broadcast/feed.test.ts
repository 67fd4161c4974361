import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Feed } from '../../src/broadcast/feed.js';
import { outputSize } from '../../src/broadcast/video.js';
import type { Film } from '../../src/screen/types.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class FakeFilm implements Film {
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
  const film = new FakeFilm();
  const source = { film };
  const written: number[] = [];
  const state = { takesMs: options.takesMs, resized: 0 };
  const sink = {
    size: film.size,
    write: (picture: Buffer, taken: () => void) => {
      written.push(picture[0] ?? 0);
      setTimeout(taken, state.takesMs);
    },
  };
  const onResize = () => {
    state.resized += 1;
  };
  const feed = new Feed({ fps: options.fps, source, sink, onResize });
  return { film, source, written, state, feed };
}

it('hands over as many frames as the time says, and copies only what changed', async () => {
  const { film, written, feed } = setUp({ fps: 30, takesMs: 5 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(written.length).toBeGreaterThanOrEqual(30);
  expect(written.length).toBeLessThanOrEqual(31);
  expect(film.reads).toBe(1);
  film.version = 2;
  await vi.advanceTimersByTimeAsync(100);
  expect(film.reads).toBe(2);
  expect(written.at(-1)).toBe(2);
  feed.stop();
  const { length } = written;
  await vi.advanceTimersByTimeAsync(1000);
  expect(written).toHaveLength(length);
});

it('makes no picture while one is under way, and makes up for the time afterwards', async () => {
  const { film, written, state } = setUp({ fps: 30, takesMs: 1000 });
  await vi.advanceTimersByTimeAsync(900);
  expect(written).toHaveLength(1);
  film.version = 7;
  state.takesMs = 1;
  await vi.advanceTimersByTimeAsync(1100);
  expect(written.length).toBeGreaterThanOrEqual(59);
  expect(written.length).toBeLessThanOrEqual(61);
  expect(new Set(written.slice(1))).toEqual(new Set([7]));
});

it('does not make up for a pause that was too long', async () => {
  const { written, state } = setUp({ fps: 30, takesMs: 3_600_000 });
  await vi.advanceTimersByTimeAsync(10);
  state.takesMs = 1;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(written.length).toBeLessThan(200);
});

it('goes on with the film of a new connection, and ends when its size is another', async () => {
  const { source, written, state } = setUp({ fps: 30, takesMs: 1 });
  await vi.advanceTimersByTimeAsync(100);
  const next = new FakeFilm();
  source.film = next;
  await vi.advanceTimersByTimeAsync(100);
  expect(next.reads).toBe(1);
  const { length } = written;
  next.size = { width: 8, height: 2 };
  await vi.advanceTimersByTimeAsync(1000);
  expect(state.resized).toBe(1);
  expect(written.length).toBe(length);
});

it('scales what is larger than 1080p, keeps its shape, and gives even sizes', () => {
  expect(outputSize({ width: 1280, height: 800 })).toEqual({ width: 1280, height: 800 });
  expect(outputSize({ width: 3840, height: 2160 })).toEqual({ width: 1920, height: 1080 });
  expect(outputSize({ width: 1920, height: 1200 })).toEqual({ width: 1728, height: 1080 });
  expect(outputSize({ width: 1000, height: 2160 })).toEqual({ width: 500, height: 1080 });
});
