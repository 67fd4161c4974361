import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';

/** Ids are generated; this is the last gate before they name things on the host. */
export function assertId(id: string): void {
  if (!/^[a-z0-9_]{1,40}$/.test(id)) {
    throw new ApiError('invalid_request', `${JSON.stringify(id)} is not a machine's id.`);
  }
}

/** True for what an image may be called; the same gate, before a name becomes a path. */
export function isImageName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,62}$/.test(name);
}

/** Hexadecimal SHA-256 of `parts`, which cannot run into each other. */
export function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A machine's own Ethernet address, in the range that QEMU uses. */
export function macAddress(id: string): string {
  return `52:54:00:${hash('mac', id)
    .slice(0, 6)
    .replace(/(..)(?=.)/g, '$1:')}`;
}

/** The name that a machine has on its own network. */
export function hostname(id: string): string {
  return `vc-${id.replaceAll('_', '-')}`.replace(/-+$/, '').slice(0, 63);
}

/** A name that no other file in a directory has. */
export function uniqueName(): string {
  return randomBytes(8).toString('hex');
}
