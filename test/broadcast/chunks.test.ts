import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeAmf, encodeAmf } from '../../src/broadcast/rtmp/amf.js';
import { ChunkReader } from '../../src/broadcast/rtmp/chunk-reader.js';
import { type Message, writeMessage } from '../../src/broadcast/rtmp/chunks.js';

const message = fc.record({
  type: fc.constantFrom(8, 9, 18, 20),
  stream: fc.integer({ min: 0, max: 100 }),
  timestamp: fc.oneof(
    fc.integer({ min: 0, max: 1000 }),
    fc.constantFrom(0xfffffe, 0xffffff, 0x1000000, 0xffffffff),
  ),
  data: fc.uint8Array({ maxLength: 1000 }).map((bytes) => Buffer.from(bytes)),
});

describe('chunks', () => {
  it('decode any messages from pieces of any size', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.integer({ min: 1, max: 300 }),
        (sent, size) => {
          const bytes = Buffer.concat(sent.map((each, i) => writeMessage(each, 2 + (i % 5), 128)));
          const reader = new ChunkReader();
          const got: Message[] = [];
          for (let at = 0; at < bytes.length; at += size) {
            got.push(...reader.push(bytes.subarray(at, at + size)));
          }
          expect(got).toEqual(sent);
        },
      ),
    );
  });

  it('follow a change of the chunk size', () => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(4000);
    const data = Buffer.alloc(3000, 7);
    const bytes = Buffer.concat([
      writeMessage({ type: 1, stream: 0, timestamp: 0, data: size }, 2, 128),
      writeMessage({ type: 20, stream: 0, timestamp: 0, data }, 3, 4000),
    ]);
    expect(new ChunkReader().push(bytes)).toEqual([{ type: 20, stream: 0, timestamp: 0, data }]);
  });

  it('with short headers reuse the fields of the previous chunk', () => {
    const first = writeMessage(
      { type: 20, stream: 1, timestamp: 5, data: Buffer.from('ab') },
      3,
      128,
    );
    const sameLength = Buffer.from([0x83, 0, 0, 10, 0x63, 0x64]);
    const sameAll = Buffer.from([0xc3, 0x65, 0x66]);
    const got = new ChunkReader().push(Buffer.concat([first, sameLength, sameAll]));
    expect(got.map(({ timestamp, data }) => [timestamp, data.toString()])).toEqual([
      [5, 'ab'],
      [15, 'cd'],
      [25, 'ef'],
    ]);
  });

  it('of a broken server are rejected without using memory', () => {
    expect(() => new ChunkReader().push(Buffer.from([0xc5, 1, 2]))).toThrow(
      'without a full header',
    );
    const huge = Buffer.from([3, 0, 0, 0, 0xff, 0xff, 0xff, 20, 0, 0, 0, 0]);
    expect(() => new ChunkReader().push(huge)).toThrow('too long');
  });
});

describe('AMF', () => {
  it('encodes and decodes without loss', () => {
    const values = [
      'connect',
      1,
      { app: 'live', ok: true, inner: { n: -1.5, nothing: null } },
      null,
      false,
    ];
    expect(decodeAmf(encodeAmf(...values))).toEqual(values);
  });

  it('reads any bytes without hanging', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeAmf(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });
});
