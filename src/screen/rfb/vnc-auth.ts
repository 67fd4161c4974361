import { createCipheriv } from 'node:crypto';

/**
 * The answer to a VNC Authentication challenge (RFB 7.2.2): the 16 bytes encrypted by DES with
 * the first eight bytes of the password as the key, the bits of each byte mirrored. OpenSSL 3
 * offers no single DES without its legacy provider; triple DES with one key thrice is the same.
 */
export function answerChallenge(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(8);
  Buffer.from(password, 'latin1').copy(key, 0, 0, 8);
  for (const [index, byte] of key.entries()) key[index] = mirrored(byte);
  const cipher = createCipheriv('des-ede3', Buffer.concat([key, key, key]), null);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

function mirrored(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) result |= 0x80 >> bit;
  return result;
}
