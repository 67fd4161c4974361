import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  keyEvent,
  pointerEvent,
  setEncodings,
  setPixelFormat,
  updateRequest,
} from '../../src/screen/rfb/messages.js';
import { ClientReader, ViewerError } from '../../src/vnc-server/client-messages.js';

const opening = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])]);
const region = { x: 1, y: 2, width: 30, height: 40 };

function opened(): ClientReader {
  const reader = new ClientReader();
  expect([...reader.read(opening)].map(({ kind }) => kind)).toEqual(['version', 'byte', 'byte']);
  return reader;
}

const cutText = (length: number) => {
  const head = Buffer.alloc(8);
  head.writeUInt8(6);
  head.writeInt32BE(length, 4);
  return head;
};

test("parses a viewer's messages for any chunk sizes", () => {
  const bytes = Buffer.concat([
    setPixelFormat(),
    setEncodings([7, -239]),
    updateRequest('changes', region),
    cutText(5),
    Buffer.from('hello'),
    cutText(-6),
    Buffer.from('abcdef'),
    keyEvent('press', 0xff0d),
    pointerEvent(10, 20, 1),
  ]);
  const expected = [
    { kind: 'format', format: setPixelFormat().subarray(4) },
    { kind: 'encodings', encodings: [7, -239] },
    { kind: 'request', incremental: true, region },
    { kind: 'cutText', text: 'hello' },
    { kind: 'key', press: true, keysym: 0xff0d },
    { kind: 'pointer', x: 10, y: 20, buttons: 1 },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
      const reader = opened();
      const ends = [...new Set([...cuts, bytes.length])].sort((a, b) => a - b);
      const messages = ends.flatMap((end, i) => [
        ...reader.read(bytes.subarray(ends[i - 1] ?? 0, end)),
      ]);
      expect(messages).toEqual(expected);
    }),
  );
});

describe('rejects', () => {
  it.each([
    ['an unknown message', Buffer.from([99, 0, 0, 0])],
    ['ten thousand encodings', Buffer.from([2, 0, 0x27, 0x10])],
    ['a clipboard without end', cutText(0x7fffffff)],
    ['a clipboard of negative endlessness', cutText(-0x80000000)],
    ['a fence of 255 bytes', Buffer.from([248, 0, 0, 0, 0, 0, 0, 0, 255])],
  ])('%s', (_, bytes) => {
    expect(() => [...opened().read(bytes)]).toThrow(ViewerError);
  });
});

test('throws only ViewerError for arbitrary bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 }), (chunks) => {
      const reader = opened();
      try {
        for (const chunk of chunks) [...reader.read(Buffer.from(chunk))];
      } catch (error) {
        expect(error).toBeInstanceOf(ViewerError);
      }
    }),
  );
});
