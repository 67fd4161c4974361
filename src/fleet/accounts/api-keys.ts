import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import type { CreatedKey, Key, Me } from '../../contract/resources.js';
import { generateApiKey, hashApiKey } from '../computers/ids.js';
import { missing } from '../errors/missing.js';
import type { Store } from '../store/index.js';
import type { KeyRecord, OwnerRecord } from '../store/records.js';

/** The owner of a request, and the key that authenticated it. */
export interface Owner {
  readonly id: string;
  readonly keyId: string;
}

/** API keys of an owner. */
const MOST = 200;
/** A key's last use is stored at most this often. */
const TOUCH_EVERY_MS = 60_000;

/** API keys and their owners. */
export class ApiKeys {
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
   * Calls `end` when the owner's key is deleted, at once if it already was. Used for requests and
   * sockets of the key. Returns a function that removes the listener.
   */
  whileValid(owner: Owner, end: () => void): () => void {
    const { keyId } = owner;
    if (!this.#store.owners.hasKey(keyId)) {
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

  /** False once the key was deleted. */
  isValid({ keyId }: Owner): boolean {
    return this.#store.owners.hasKey(keyId);
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
   * Creates the first owner, an administrator, and its key unless there is an owner. `publish` stores the key for the
   * user before it takes effect, so that after a crash in between the next start tries again.
   */
  async ensureOwner(publish: (key: string) => Promise<void>): Promise<boolean> {
    if (this.#store.owners.hasOwners()) return false;
    const key = generateApiKey();
    await publish(key);
    const first = { name: 'default', role: 'administrator', max_running: null } as const;
    this.#store.owners.createOwner({ ...first, created_by: null }, key);
    return true;
  }

  /** The owner's name and role, and the key that it came with. */
  describe(owner: Owner): Pick<Me, 'user_id' | 'name' | 'role' | 'key'> {
    const key = this.#store.owners.listKeys(owner.id).find(({ id }) => id === owner.keyId);
    const { name = '', role = 'member' } = this.#store.owners.findOwner(owner.id) ?? {};
    return { user_id: owner.id, name, role, key: { id: owner.keyId, name: key?.name ?? '' } };
  }

  list(owner: Owner): Key[] {
    return this.#store.owners.listKeys(owner.id).map((key) => {
      const { id, name, created_at, last_used_at, created_by } = key;
      return { id, name, created_at, last_used_at, created_by };
    });
  }

  create(owner: Owner, name: string): CreatedKey {
    if (this.#store.owners.listKeys(owner.id).length >= MOST) {
      throw new ApiError('limit_reached', `You have ${MOST} API keys, which is the limit.`, {
        remedy: 'Remove one first: vc key rm ID',
      });
    }
    return this.#store.owners.createKey(owner.id, name, owner.keyId);
  }

  /** Creates a key of `owner` for an administrator, who made the request `by`. */
  createFor(owner: Pick<OwnerRecord, 'id' | 'name'>, name: string, by: Owner): CreatedKey {
    if (this.#store.owners.listKeys(owner.id).length >= MOST) {
      const message = `The owner ${JSON.stringify(owner.name)} has ${MOST} API keys, which is the limit.`;
      throw new ApiError('limit_reached', message, {
        remedy: 'Its owner can remove one: vc key rm ID',
      });
    }
    return this.#store.owners.createKey(owner.id, name, by.keyId);
  }

  /** Revokes a key and ends its requests and sockets. An owner's last key cannot be revoked. */
  remove(owner: Owner, id: string): void {
    const keys = this.#store.owners.listKeys(owner.id);
    if (!keys.some((key) => key.id === id)) {
      const known = keys.flatMap((key) => [key.name, key.id]);
      throw missing('API key', id, { known, list: 'vc key ls' });
    }
    if (keys.length === 1) {
      throw new ApiError('conflict', 'This is your last API key.', {
        remedy: 'Create another one first: vc key create NAME',
      });
    }
    this.#store.owners.removeKey(owner.id, id);
    this.ended(id);
  }

  /** Ends the requests, sockets and tickets of a key that was removed. */
  ended(id: string): void {
    this.#touched.delete(id);
    for (const listener of this.#removed) listener(id);
    for (const end of this.#ends.get(id) ?? []) end();
    this.#ends.delete(id);
  }

  #touch(record: Pick<KeyRecord, 'id'>): void {
    const now = performance.now();
    if (now - (this.#touched.get(record.id) ?? -Infinity) < TOUCH_EVERY_MS) return;
    this.#touched.set(record.id, now);
    try {
      this.#store.owners.touchKey(record.id);
    } catch {
      // A full disk must not lock owners out: they may need to free space.
    }
  }
}
