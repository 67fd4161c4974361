// @module-tag slow
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinPieces } from '../../../src/lib/streams/join-pieces.js';
import { promise } from '../../support/run/promise.js';

/** A stream that the test pushes data to. */
function source(highWaterMark = 65_536) {
  let reads = 0;
  const stream = new Readable({
    highWaterMark,
    read: () => {
      reads += 1;
    },
  });
  const waiting = joinPieces(stream);
  return { stream, waiting, reads: () => reads };
}

it('delivers the same bytes to every kind of reader', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom('flowing', 'iterated', 'paused'),
      async (lengths, way) => {
        const { stream, waiting } = source();
        const bytes = lengths.map((length, at) => Buffer.alloc(length, at));
        const total = Buffer.concat(bytes);
        const read: Buffer[] = [];
        const ended = new Promise((resolve) => stream.once('end', resolve));
        if (way === 'flowing') stream.on('data', (chunk: Buffer) => read.push(chunk));
        for (const [at, piece] of bytes.entries()) {
          stream.push(piece);
          if (at % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        if (way !== 'flowing') expect(waiting()).toBe(total.length);
        stream.push(null);
        if (way === 'paused') stream.on('data', (chunk: Buffer) => read.push(chunk));
        if (way === 'iterated') for await (const chunk of stream) read.push(chunk as Buffer);
        else await ended;
        expect(Buffer.concat(read).equals(total)).toBe(true);
        expect(waiting()).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});

promise(29, 'small pieces are joined in few buffers, up to the limit in bytes', async (report) => {
  const { stream, waiting, reads } = source(1 << 20);
  let pushed = 0;
  while (stream.push(Buffer.of(pushed & 255))) {
    pushed += 1;
    if (pushed % 50_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(waiting()).toBe(1 << 20);
  const before = reads();
  let buffers = 0;
  stream.on('data', () => {
    buffers += 1;
  });
  while (waiting() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(buffers).toBeLessThan(100);
  // The source is read again.
  expect(reads()).toBeGreaterThan(before);
  report(`1 MiB of single bytes in ${buffers} buffers`);
});
