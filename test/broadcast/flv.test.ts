import { expect, it } from 'vitest';
import { FlvReader } from '../../src/broadcast/flv.js';

const HEADER = Buffer.from([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);

function tag(type: number, timestamp: number, data: Buffer): Buffer {
  const header = Buffer.alloc(11);
  header[0] = type;
  header.writeUIntBE(data.length, 1, 3);
  header.writeUIntBE(timestamp & 0xffffff, 4, 3);
  header[7] = timestamp >>> 24;
  return Buffer.concat([header, data, Buffer.alloc(4)]);
}

const file = Buffer.concat([
  HEADER,
  tag(18, 0, Buffer.from('meta')),
  tag(9, 40, Buffer.from('video')),
  tag(8, 0x89abcdef, Buffer.alloc(0)),
]);

it.each([1, 2, 7, 1000])('decodes the same tags from pieces of %i bytes', (size) => {
  const reader = new FlvReader();
  const tags = [];
  for (let at = 0; at < file.length; at += size) {
    tags.push(...reader.push(file.subarray(at, at + size)));
  }
  expect(tags).toEqual([
    { kind: 'script', timestamp: 0, data: Buffer.from('meta') },
    { kind: 'video', timestamp: 40, data: Buffer.from('video') },
    { kind: 'audio', timestamp: 0x89abcdef, data: Buffer.alloc(0) },
  ]);
});

it('rejects a stream that is not FLV', () => {
  expect(() => new FlvReader().push(Buffer.from('ffmpeg version 5.1'))).toThrow('not FLV');
});
