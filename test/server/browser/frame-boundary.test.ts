import { expect, test } from 'vitest';
import { FrameBoundary } from '../../../src/server/browser/frame-boundary.js';
import { promise } from '../../support/run/promise.js';

function frame(size: number, opcode = 1): Buffer {
  const payload = Buffer.alloc(size, 7);
  if (size < 126) return Buffer.concat([Buffer.of(0x80 | opcode, size), payload]);
  if (size < 65_536) {
    return Buffer.concat([Buffer.of(0x80 | opcode, 126, size >> 8, size & 255), payload]);
  }
  const header = Buffer.alloc(10);
  header[0] = 0x80 | opcode;
  header[1] = 127;
  header.writeUInt32BE(size, 6);
  return Buffer.concat([header, payload]);
}

test.each([0, 1, 125, 126, 65_535, 65_536, 200_000])(
  'a frame of %s bytes passes unchanged, in pieces of any size, and its end is known',
  (size) => {
    const bytes = frame(size);
    for (const step of [1, 3, 4096, bytes.length]) {
      if (step === 1 && size > 70_000) continue;
      const frames = new FrameBoundary({ highWaterMark: 1024 * 1024 });
      const out: Buffer[] = [];
      frames.on('data', (chunk: Buffer) => out.push(chunk));
      let between = 0;
      for (let at = 0; at < bytes.length; at += step) {
        frames.write(bytes.subarray(at, at + step));
        if (frames.isBetween) between += 1;
      }
      expect(between).toBe(1);
      expect(frames.isBetween).toBe(true);
      expect(frames.hasClosed).toBe(false);
    }
  },
);

test('a frame with a mask has four more bytes', () => {
  const frames = new FrameBoundary();
  frames.write(Buffer.of(0x81, 0x81, 1, 2, 3, 4));
  expect(frames.isBetween).toBe(false);
  frames.write(Buffer.of(9));
  expect(frames.isBetween).toBe(true);
});

test('a frame that closes is noticed', () => {
  const frames = new FrameBoundary();
  frames.write(Buffer.concat([frame(10), frame(2, 8)]));
  expect(frames.hasClosed).toBe(true);
});

promise(29, 'a length of 2^64 bytes takes no memory and has no end', () => {
  const frames = new FrameBoundary();
  frames.resume();
  frames.write(Buffer.concat([Buffer.of(0x82, 127), Buffer.alloc(8, 0xff), Buffer.alloc(1000)]));
  expect(frames.isBetween).toBe(false);
});

test('frames that arrive together are told apart like those that arrive byte by byte', () => {
  const sizes = [0, 1, 0, 125, 126, 13, 300, 0, 65_536, 2, 0];
  const masked = Buffer.of(0x82, 0x80 | 2, 1, 2, 3, 4, 9, 9);
  const bytes = Buffer.concat([...sizes.flatMap((size) => [frame(size), masked]), frame(2, 8)]);
  const ends = (step: number) => {
    const frames = new FrameBoundary({ highWaterMark: 1024 * 1024 });
    frames.resume();
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += step) {
      frames.write(bytes.subarray(at, at + step));
      const end = Math.min(at + step, bytes.length);
      if (end % 7 === 0 || end === bytes.length) {
        found.push(`${end} ${frames.isBetween} ${frames.hasClosed}`);
      }
    }
    return found;
  };
  const single = new Set(ends(1));
  for (const step of [2, 7, 20, 1000, bytes.length]) {
    const together = ends(step);
    expect(together.filter((end) => !single.has(end))).toEqual([]);
    expect(together.at(-1)).toBe(`${bytes.length} true true`);
  }
});
