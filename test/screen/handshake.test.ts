import { createCipheriv } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { shakeHands } from '../../src/screen/rfb/handshake.js';
import { ByteReader } from '../../src/screen/rfb/reader.js';
import { answerChallenge } from '../../src/screen/rfb/vnc-auth.js';
import { serverInit } from './fake-server.js';

/** Lets a server say all it has to say at once; gives what the client made of it and said. */
async function shake(script: readonly (Buffer | string)[], password?: string) {
  const [stream, server] = duplexPair();
  const said: Buffer[] = [];
  server.on('data', (chunk: Buffer) => said.push(chunk));
  server.end(Buffer.concat(script.map((part) => Buffer.from(part))));
  const reader = new ByteReader(stream);
  const result = await shakeHands({ reader, stream, password }).catch((error: Error) => error);
  await new Promise((resolve) => setImmediate(resolve));
  return { result, said: Buffer.concat(said) };
}

const OK = Buffer.from([0, 0, 0, 0]);
const init = serverInit(800, 600);
const size = { width: 800, height: 600 };
const challenge = Buffer.from('0123456789abcdef');

test('speaks 3.8 without authentication', async () => {
  const { result, said } = await shake(['RFB 003.008\n', Buffer.from([2, 2, 1]), OK, init]);
  expect(result).toEqual(size);
  expect(said.toString('latin1')).toBe('RFB 003.008\n\x01\x01');
});

test('speaks 3.8 to servers that claim more', async () => {
  const { result, said } = await shake(['RFB 003.889\n', Buffer.from([1, 1]), OK, init]);
  expect(result).toEqual(size);
  expect(said.toString('latin1')).toMatch(/^RFB 003\.008\n/);
});

test('speaks 3.7, which sends no result without authentication', async () => {
  const { result } = await shake(['RFB 003.007\n', Buffer.from([1, 1]), init]);
  expect(result).toEqual(size);
});

test('speaks 3.3, where the server decides', async () => {
  const { result, said } = await shake(['RFB 003.003\n', Buffer.from([0, 0, 0, 1]), init]);
  expect(result).toEqual(size);
  expect(said.toString('latin1')).toBe('RFB 003.003\n\x01');
});

test('answers a VNC Authentication challenge', async () => {
  const script = ['RFB 003.008\n', Buffer.from([1, 2]), challenge, OK, init];
  const { result, said } = await shake(script, 'secret');
  expect(result).toEqual(size);
  expect(said.subarray(13, 29)).toEqual(answerChallenge(challenge, 'secret'));
});

test('mirrors the bits of each byte of the password, and takes eight of them', () => {
  // "@" is 0b01000000, mirrored 0b00000010.
  const key = Buffer.alloc(24, 0x02);
  const cipher = createCipheriv('des-ede3', key, null).setAutoPadding(false);
  const expected = Buffer.concat([cipher.update(challenge), cipher.final()]);
  expect(answerChallenge(challenge, '@@@@@@@@')).toEqual(expected);
  expect(answerChallenge(challenge, '@@@@@@@@ignored')).toEqual(expected);
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
  ['a password that is wanted', ['RFB 003.008\n', Buffer.from([1, 2])], /asks for a password/],
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

test('says that a password was wrong', async () => {
  const refusal = Buffer.from([0, 0, 0, 1, 0, 0, 0, 4]);
  const script = ['RFB 003.008\n', Buffer.from([1, 2]), challenge, refusal, 'nope'];
  expect((await shake(script, 'x')).result).toMatchObject({
    message: expect.stringContaining('nope'),
  });
});
