import { createHash, randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Random bytes for many texts: every request has an id, and one call per id takes time. */
const random = Buffer.alloc(4096);
let used = random.length;

/** `length` characters of Crockford's base 32, five random bits each. */
function randomText(length: number): string {
  if (used + length > random.length) {
    randomFillSync(random);
    used = 0;
  }
  let text = '';
  for (const byte of random.subarray(used, used + length)) text += ALPHABET[byte & 31];
  // No byte is used or kept twice.
  random.fill(0, used, used + length);
  used += length;
  return text;
}

export type IdPrefix =
  | 'usr'
  | 'prj'
  | 'cmp'
  | 'snp'
  | 'img'
  | 'vol'
  | 'key'
  | 'srv'
  | 'req'
  | 'brw'
  | 'ses'
  | 'trj'
  | 'run'
  | 'whk'
  | 'msg';

/** A generated id, for example `cmp_` and 20 characters: 100 random bits, safe in any path or name. */
export function generateId(prefix: IdPrefix): string {
  return `${prefix}_${randomText(20)}`;
}

/** An API key: `vc_` and 160 random bits. */
export function generateApiKey(): string {
  return `vc_${randomText(32)}`;
}

/** A ticket for the live view, the browser or a publication: `vt_` and 160 random bits. */
export function generateTicket(): string {
  return `vt_${randomText(32)}`;
}

/** What makes a host name impossible to guess: 130 random bits. */
export function generateHostSecret(): string {
  return randomText(26);
}

/** A secret of 160 random bits: `vl` for a login link, `vs` for a session. */
export function generateSecret(prefix: 'vl' | 'vs'): string {
  return `${prefix}_${randomText(32)}`;
}

/** The stored form of an API key: its SHA-256, hexadecimal. The key has full entropy, so no salt. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
