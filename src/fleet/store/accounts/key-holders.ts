import type { Right } from '../../../contract/access/rights.js';

/** Whom what a key did is attributed to. */
export type HolderOf = (keyId: string) => string;

/** Each key for itself. */
export const ownHolder: HolderOf = (keyId) => keyId;

/** Of all keys that were removed before the service was started. */
const REMOVED = 'removed keys';
/** Removed keys of which the holder is remembered. */
const MOST_REMOVED = 10_000;

interface Key {
  readonly id: string;
  readonly rights: Right;
  readonly project_id: string | null;
  readonly created_by: string | null;
}

/**
 * Attributes what API keys did to holders, among which limits are divided. What a key with fewer
 * rights or for one project did is attributed to the first such key in the chain of those that made
 * it: however many keys it makes, they have its part of a limit. A full key is its own holder.
 */
export class KeyHolders {
  readonly #find: (id: string) => Key | undefined;
  readonly #removed = new Map<string, { readonly holder: string; readonly isLimited: boolean }>();

  constructor(find: (id: string) => Key | undefined) {
    this.#find = find;
  }

  of(id: string): string {
    let key = this.#find(id);
    if (key === undefined) return this.#ofMissing(id);
    let holder = id;
    while (key !== undefined && isLimited(key)) {
      holder = key.id;
      const { created_by } = key;
      if (created_by === null) break;
      key = this.#find(created_by);
      const removed = key === undefined ? this.#removed.get(created_by) : undefined;
      if (removed?.isLimited) return removed.holder;
    }
    return holder;
  }

  /** To be called before a key is removed. */
  removing(key: Key): void {
    this.#removed.set(key.id, { holder: this.of(key.id), isLimited: isLimited(key) });
    const [oldest] = this.#removed.keys();
    if (oldest !== undefined && this.#removed.size > MOST_REMOVED) this.#removed.delete(oldest);
  }

  #ofMissing(id: string): string {
    const removed = this.#removed.get(id);
    if (removed !== undefined) return removed.holder;
    // The service itself has no key, and an id of its own.
    return id.startsWith('key_') ? REMOVED : id;
  }
}

/** Whether the key lacks a right or a project of its owner. */
export function isLimited({ rights, project_id }: Pick<Key, 'rights' | 'project_id'>): boolean {
  return rights !== 'manage' || project_id !== null;
}
