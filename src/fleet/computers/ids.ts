import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** `length` characters of Crockford's base 32, five random bits each. */
function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join('');
}

export type IdPrefix = 'usr' | 'prj' | 'cmp' | 'key' | 'srv';

/** A generated id, for example `cmp_` and 20 characters: 100 random bits, safe in any path or name. */
export function generateId(prefix: IdPrefix): string {
  return `${prefix}_${randomText(20)}`;
}

/** An API key: `vc_` and 160 random bits. */
export function generateApiKey(): string {
  return `vc_${randomText(32)}`;
}

/** A ticket for the live view: `vt_` and 160 random bits. */
export function generateTicket(): string {
  return `vt_${randomText(32)}`;
}

/** The stored form of an API key: its SHA-256, hexadecimal. The key has full entropy, so no salt. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
