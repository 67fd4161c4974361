import { createHash, randomBytes } from 'node:crypto';

/** True for a valid image name, which is safe in a path. */
export function isImageName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,31}$/.test(name);
}

/** Hexadecimal SHA-256 of `parts`; their boundaries count. */
export function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A machine's MAC address, in QEMU's range. */
export function macAddress(id: string): string {
  return `52:54:00:${hash('mac', id)
    .slice(0, 6)
    .replace(/(..)(?=.)/g, '$1:')}`;
}

/** A random part for the name of a file or directory. */
export function uniqueName(): string {
  return randomBytes(8).toString('hex');
}
