import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../contract/errors.js';
import type { CreatedKey, Key, Me } from '../contract/resources.js';
import { generateApiKey, hashApiKey } from './ids.js';
import type { Store } from './store/index.js';
import type { KeyRecord } from './store/records.js';

/** Who asks. */
export interface Owner {
  readonly id: string;
  /** The key that was shown. */
  readonly keyId: string;
}

/** A key's last use is written at most this often. */
const TOUCH_EVERY_MS = 60_000;

/** Owners and the API keys that let them in. */
export class Access {
  readonly #store: Store;
  readonly #touched = new Map<string, number>();
  readonly #removed: ((keyId: string) => void)[] = [];
  readonly #ends = new Map<string, Set<() => void>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Called with the id of every key that is deleted. */
  onRemoved(listener: (keyId: string) => void): void {
    this.#removed.push(listener);
  }

  /**
   * Calls `end` when the owner's key is deleted, at once if it was already. For what a key has
   * opened and what outlives its request. The result forgets it.
   */
  whileValid(owner: Owner, end: () => void): () => void {
    const { keyId } = owner;
    if (!this.#store.owners.listKeys(owner.id).some(({ id }) => id === keyId)) {
      end();
      return () => undefined;
    }
    const ends = this.#ends.get(keyId) ?? new Set();
    this.#ends.set(keyId, ends.add(end));
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.#ends.get(keyId) === ends) this.#ends.delete(keyId);
    };
  }

  /** The key's owner, or undefined for a key that does not exist. */
  authenticate(key: string): Owner | undefined {
    const hash = hashApiKey(key);
    const record = this.#store.owners.findKeyByHash(hash);
    if (record === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(record.hash, 'hex'), Buffer.from(hash, 'hex')))
      return undefined;
    this.#touch(record);
    return { id: record.owner_id, keyId: record.id };
  }

  /**
   * Makes the first owner and its key when there is none yet. `publish` stores the key where its
   * user finds it, before it takes effect: after a crash in between there is still no owner, and
   * the next start does it again.
   */
  async ensureOwner(publish: (key: string) => Promise<void>): Promise<boolean> {
    if (this.#store.owners.hasOwners()) return false;
    const key = generateApiKey();
    await publish(key);
    this.#store.owners.createOwner('default', key);
    return true;
  }

  /** The owner's name and the key that it came with. */
  describe(owner: Owner): Pick<Me, 'user_id' | 'name' | 'key'> {
    const key = this.#store.owners.listKeys(owner.id).find(({ id }) => id === owner.keyId);
    const name = this.#store.owners.findOwner(owner.id)?.name ?? '';
    return { user_id: owner.id, name, key: { id: owner.keyId, name: key?.name ?? '' } };
  }

  list(owner: Owner): Key[] {
    return this.#store.owners.listKeys(owner.id).map(({ id, name, created_at, last_used_at }) => {
      return { id, name, created_at, last_used_at };
    });
  }

  create(owner: Owner, name: string): CreatedKey {
    return this.#store.owners.createKey(owner.id, name);
  }

  /**
   * Takes a key its power: what it has opened ends. An owner's last key stays: without one nobody
   * could get in again.
   */
  remove(owner: Owner, id: string): void {
    const keys = this.#store.owners.listKeys(owner.id);
    if (!keys.some((key) => key.id === id)) {
      throw new ApiError('not_found', `There is no API key ${id}; "vc key ls" lists them.`);
    }
    if (keys.length === 1) {
      throw new ApiError('conflict', 'This is your last API key; create another one first.');
    }
    this.#store.owners.removeKey(owner.id, id);
    this.#touched.delete(id);
    for (const listener of this.#removed) listener(id);
    for (const end of this.#ends.get(id) ?? []) end();
    this.#ends.delete(id);
  }

  #touch(record: KeyRecord): void {
    const now = Date.now();
    if (now - (this.#touched.get(record.id) ?? 0) < TOUCH_EVERY_MS) return;
    this.#touched.set(record.id, now);
    try {
      this.#store.owners.touchKey(record.id);
    } catch {
      // On a full disk a key still lets its owner in, to make room.
    }
  }
}
