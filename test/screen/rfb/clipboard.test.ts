import { PassThrough } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { parseClipboard } from '../../../src/screen/rfb/clipboard.js';
import { ByteReader } from '../../../src/screen/rfb/reader.js';
import { type MessageTarget, readMessage } from '../../../src/screen/rfb/server-messages.js';

/** A text that the guest provides: flags, and its length and bytes packed. */
function provided(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([Buffer.of(0x10, 0, 0, 1), deflateSync(Buffer.concat([length, bytes]))]);
}

it.each([
  ['a\r\nb\r\n', 'a\nb\n'],
  ['\r\r\n\n\r', '\r\n\n\r'],
  ['é 中 👍\r\n\0after', 'é 中 👍\n'],
  ['\0', ''],
  ['', ''],
])('reads %j as %j', (text, expected) => {
  expect(parseClipboard(provided(text))).toEqual({ kind: 'provide', text: expected });
});

it('is charged for as much as it may unpack to', async () => {
  const body = provided('\r\n'.repeat(15_000));
  expect(body.length).toBeLessThan(100);
  const head = Buffer.alloc(8);
  head.writeUInt8(3);
  head.writeInt32BE(-body.length, 4);
  const charge = vi.fn(() => undefined);
  const chargeCompact = vi.fn(() => undefined);
  const onClipboard = vi.fn();
  const target = { charge, chargeCompact, onClipboard } as unknown as MessageTarget;
  const stream = new PassThrough();
  stream.write(Buffer.concat([head, body]));
  await readMessage(new ByteReader(stream), target);
  expect(onClipboard).toHaveBeenCalledWith({ kind: 'provide', text: '\n'.repeat(15_000) });
  for (const { mock } of [charge, chargeCompact]) {
    const charged = mock.calls.flat().reduce<number>((sum, pixels) => sum + Number(pixels), 0);
    expect(charged).toBeGreaterThan(30_000);
  }
});
