import { createCipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { TokenBucket } from '../../lib/async/token-bucket.js';
import { readExactly } from '../../lib/streams/read-exactly.js';

export const VERSION = Buffer.from('RFB 003.008\n', 'latin1');
/** The result of the security type for a client that is let in. */
export const SECURITY_OK = Buffer.alloc(4);
/** The security type VNC Authentication (RFB 7.2.2). */
const VNC_AUTHENTICATION = 2;
/** 3.889 is the version of Apple's client, which speaks 3.8. */
const VERSIONS = /^RFB 003\.(008|889)\n$/;

/** A client was refused; the message is for its user. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** What a client has answered to a challenge. */
interface Answered {
  readonly challenge: Buffer;
  readonly response: Buffer;
}

/**
 * The server's part of the RFB handshake up to the client's response (RFB 7.1 and 7.2). Rejects with
 * RefusedError for a client that speaks something else.
 */
export async function challengeClient(client: Duplex, signal: AbortSignal): Promise<Answered> {
  client.write(VERSION);
  const version = (await readExactly(client, VERSION.length, signal)).toString('latin1');
  if (!VERSIONS.test(version)) throw new RefusedError('the client does not support RFB 3.8');
  client.write(Buffer.from([1, VNC_AUTHENTICATION]));
  const [type] = await readExactly(client, 1, signal);
  if (type !== VNC_AUTHENTICATION) {
    throw new RefusedError('the client did not choose VNC authentication');
  }
  const challenge = randomBytes(16);
  client.write(challenge);
  return { challenge, response: await readExactly(client, challenge.length, signal) };
}

/**
 * Throws RefusedError for a wrong password. Each one takes one of `attempts`; without any, no password
 * is compared.
 */
export function checkPassword(
  { challenge, response }: Answered,
  password: string,
  attempts: TokenBucket,
): void {
  if (attempts.debtMs > 0) {
    throw new RefusedError('too many wrong passwords; try again in a few seconds');
  }
  if (timingSafeEqual(response, responseTo(challenge, password))) return;
  attempts.take(1);
  throw new RefusedError('wrong password');
}

/**
 * The response to a challenge of 16 bytes: DES with the password of 8 characters as the key, whose
 * bytes have their bits reversed (RFB 7.2.2). Triple DES with one key three times is DES, which
 * OpenSSL 3 does not have.
 */
export function responseTo(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(8);
  key.write(password.slice(0, 8), 'latin1');
  const reversed = key.map(reverseBits);
  const des = createCipheriv('des-ede3-ecb', Buffer.concat([reversed, reversed, reversed]), null);
  return des.setAutoPadding(false).update(challenge);
}

function reverseBits(byte: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit += 1) reversed |= ((byte >> bit) & 1) << (7 - bit);
  return reversed;
}

/** The result of the security type for a client that is not let in, with the reason. */
export function failedResult(reason: string): Buffer {
  const text = Buffer.from(reason, 'utf8');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(1, 0);
  head.writeUInt32BE(text.length, 4);
  return Buffer.concat([head, text]);
}
