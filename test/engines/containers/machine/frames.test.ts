import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader } from '../../../../src/engines/containers/machine/frames.js';

function frame(stream: number, data: Uint8Array): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data]);
}

describe('FrameReader', () => {
  it('returns the bytes of each stream, for any chunk sizes', () => {
    const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 30 })));
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 40 }), (sent, size) => {
        const read: Record<number, number[]> = { 1: [], 2: [] };
        const reader = new FrameReader((stream, data) => read[stream]?.push(...data));
        const bytes = Buffer.concat(sent.map(([stream, data]) => frame(stream, data)));
        for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
        for (const stream of [1, 2]) {
          expect(read[stream]).toEqual(
            sent.flatMap(([s, data]) => (s === stream ? [...data] : [])),
          );
        }
      }),
    );
  });

  it('passes on the bytes of a huge frame without buffering them', () => {
    let length = 0;
    const reader = new FrameReader((_, data) => {
      length += data.length;
    });
    reader.read(Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
    expect(length).toBe(3);
  });

  it('rejects bytes that are not a frame', () => {
    const reader = new FrameReader(() => undefined);
    expect(() => reader.read(Buffer.from('SSH-2.0-OpenSSH'))).toThrow('unknown stream');
  });
});
