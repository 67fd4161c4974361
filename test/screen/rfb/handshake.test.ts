import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { shakeHands } from '../../../src/screen/rfb/handshake.js';
import { ByteReader } from '../../../src/screen/rfb/reader.js';
import { serverInit } from '../fake-server.js';

/** Sends the server's bytes at once; returns the handshake's result and the client's bytes. */
async function shake(script: readonly (Buffer | string)[]) {
  const [stream, server] = duplexPair();
  const sent: Buffer[] = [];
  server.on('data', (chunk: Buffer) => sent.push(chunk));
  server.end(Buffer.concat(script.map((part) => Buffer.from(part))));
  const reader = new ByteReader(stream);
  const result = await shakeHands({ reader, stream }).catch((error: Error) => error);
  await new Promise((resolve) => setImmediate(resolve));
  return { result, sent: Buffer.concat(sent) };
}

const OK = Buffer.from([0, 0, 0, 0]);
const init = serverInit(800, 600);
const size = { width: 800, height: 600 };

test('speaks 3.8 without authentication', async () => {
  const { result, sent } = await shake(['RFB 003.008\n', Buffer.from([2, 2, 1]), OK, init]);
  expect(result).toEqual(size);
  expect(sent.toString('latin1')).toBe('RFB 003.008\n\x01\x01');
});

test('speaks 3.8 to servers that claim more', async () => {
  const { result, sent } = await shake(['RFB 003.889\n', Buffer.from([1, 1]), OK, init]);
  expect(result).toEqual(size);
  expect(sent.toString('latin1')).toMatch(/^RFB 003\.008\n/);
});

test('speaks 3.7, which sends no result without authentication', async () => {
  const { result } = await shake(['RFB 003.007\n', Buffer.from([1, 1]), init]);
  expect(result).toEqual(size);
});

test('speaks 3.3, where the server decides', async () => {
  const { result, sent } = await shake(['RFB 003.003\n', Buffer.from([0, 0, 0, 1]), init]);
  expect(result).toEqual(size);
  expect(sent.toString('latin1')).toBe('RFB 003.003\n\x01');
});

test.each([
  ['another protocol', ['HTTP/1.1 400\r\n'], /does not speak RFB/],
  ['RFB 2', ['RFB 002.000\n'], /unknown RFB version/],
  [
    'a refusal with a reason',
    ['RFB 003.008\n', Buffer.from([0, 0, 0, 0, 5]), 'full\n'],
    /\(full\)/,
  ],
  ['unknown security types', ['RFB 003.008\n', Buffer.from([2, 16, 19])], /16, 19/],
  ['a server that wants a password', ['RFB 003.008\n', Buffer.from([1, 2])], /security types/],
  [
    'a name without end',
    ['RFB 003.008\n', Buffer.from([1, 1]), OK, serverInit(8, 8, 0xffff_ffff)],
    /name of 4294967295 bytes/,
  ],
  ['an end in the middle', ['RFB 003.008\n', Buffer.from([1])], /ended/],
])('refuses %s', async (_what, script, message) => {
  const { result } = await shake(script as (Buffer | string)[]);
  expect(result).toMatchObject({ code: 'guest_failed', message: expect.stringMatching(message) });
});
