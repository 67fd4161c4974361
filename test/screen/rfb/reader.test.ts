import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader } from '../../../src/screen/rfb/reader.js';
import { promise } from '../../support/run/promise.js';

test('returns the same bytes for any chunk sizes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      async (bytes, cuts, wants) => {
        const stream = new PassThrough();
        const reader = new ByteReader(stream);
        for (let at = 0, cut = 0; at < bytes.length; cut++) {
          const length = cuts[cut % cuts.length] ?? 1;
          stream.write(bytes.slice(at, at + length));
          at += length;
        }
        const read: Buffer[] = [];
        for (let left = bytes.length, want = 0; left > 0; want++) {
          const length = Math.min(left, wants[want % wants.length] ?? 1);
          const part = want % 2 === 0 ? await reader.read(length) : await reader.some(length);
          expect(part.length).toBeGreaterThan(0);
          left -= part.length;
          read.push(part);
        }
        expect(Buffer.concat(read)).toEqual(Buffer.from(bytes));
      },
    ),
    { numRuns: 50 },
  );
});

test('pauses the stream while nothing reads, and resumes on the next read', async () => {
  const stream = new PassThrough({ highWaterMark: 16 });
  const reader = new ByteReader(stream);
  for (let part = 0; part < 40; part++) stream.write(Buffer.alloc(65_536, part));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(stream.isPaused()).toBe(true);
  expect(stream.writableLength).toBeGreaterThan(1 << 20);
  await reader.skip(39 * 65_536);
  expect(await reader.u8()).toBe(39);
});

test('shows bytes of several chunks that remain to be read', async () => {
  const stream = new PassThrough();
  const reader = new ByteReader(stream);
  stream.emit('data', Buffer.alloc(5000, 'x'));
  stream.emit('data', Buffer.alloc(5000, 'y'));
  expect((await reader.peek(1)).toString()).toBe('x'.repeat(5000));
  reader.drop(4999);
  expect((await reader.peek(3)).toString()).toBe('xyy');
  reader.drop(2);
  expect((await reader.read(4999)).toString()).toBe('y'.repeat(4999));
  stream.emit('data', Buffer.from('z'));
  expect((await reader.peek(1)).toString()).toBe('z');
  reader.fail(new Error('disconnected'));
  reader.drop(1);
  await expect(reader.peek(1)).rejects.toThrow('disconnected');
});

test('rejects every read once the stream has ended', async () => {
  const stream = new PassThrough();
  const reader = new ByteReader(stream);
  const waiting = reader.read(4);
  stream.destroy();
  await expect(waiting).rejects.toMatchObject({ code: 'guest_failed' });
  await expect(reader.u8()).rejects.toMatchObject({ code: 'guest_failed' });
});

promise(29, 'reading single bytes takes little memory and time', async (report) => {
  const stream = new PassThrough();
  const reader = new ByteReader(stream);
  const size = 1 << 19;
  const reading = reader.read(size);
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < size; count++) stream.emit('data', Buffer.of(count & 255));
  const mib = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  const startedAt = performance.now();
  const read = await reading;
  const ms = performance.now() - startedAt;
  expect(read.every((byte, at) => byte === (at & 255))).toBe(true);
  report(`512 KiB: +${Math.round(mib)} MiB, read in ${Math.round(ms)} ms`);
});

test('returned bytes do not change when more arrive', async () => {
  const stream = new PassThrough();
  const reader = new ByteReader(stream);
  stream.emit('data', Buffer.from('ab'));
  const first = await reader.read(1);
  stream.emit('data', Buffer.alloc(5000, 'x'));
  stream.emit('data', Buffer.from('cd'));
  expect((await reader.read(5003)).toString()).toBe(`b${'x'.repeat(5000)}cd`);
  expect(first.toString()).toBe('a');
});
