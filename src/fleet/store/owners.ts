import type { CreatedKey } from '../../contract/resources.js';
import { generateApiKey, generateId, hashApiKey } from '../computers/ids.js';
import type { Db } from './database.js';
import type { KeyRecord, OwnerRecord } from './records.js';
import { inTransaction } from './transaction.js';

/** The installation's id: machines carry it, so that two services can share an engine. */
export function serviceId(db: Db): string {
  const found = db.prepare('SELECT id FROM service').get() as { id: string } | undefined;
  if (found) return found.id;
  const id = generateId('srv');
  db.prepare('INSERT INTO service (id, created_at) VALUES (?, ?)').run(
    id,
    new Date().toISOString(),
  );
  return id;
}

type CachedKey = Pick<KeyRecord, 'id' | 'owner_id' | 'hash'>;

/** Owners and their API keys. A key itself is never stored, only its hash. */
export function ownerStore(db: Db) {
  const insertKey = db.prepare(
    'INSERT INTO keys (id, owner_id, name, hash, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?');
  const list = db.prepare('SELECT * FROM keys WHERE owner_id = ? ORDER BY created_at, id');
  const remove = db.prepare('DELETE FROM keys WHERE owner_id = ? AND id = ?');
  const owner = db.prepare('SELECT * FROM owners WHERE id = ?');

  /**
   * Every key, by its hash and by its id. Always current: this process is the only writer, and a
   * key is added after, and removed with, its row.
   */
  const keysByHash = new Map<string, CachedKey>();
  const keysById = new Map<string, CachedKey>();
  function remember({ id, owner_id, hash }: CachedKey): void {
    const key = { id, owner_id, hash };
    keysByHash.set(hash, key);
    keysById.set(id, key);
  }
  for (const key of db.prepare('SELECT id, owner_id, hash FROM keys').all()) {
    remember(key as CachedKey);
  }

  function insertedKey(ownerId: string, name: string, key: string, created_by: string | null) {
    const [id, hash, created_at] = [generateId('key'), hashApiKey(key), new Date().toISOString()];
    insertKey.run(id, ownerId, name, hash, created_at, created_by);
    return {
      created: { id, name, key, created_at, last_used_at: null, created_by },
      cached: { id, owner_id: ownerId, hash },
    };
  }

  return {
    hasOwners: () => db.prepare('SELECT id FROM owners LIMIT 1').get() !== undefined,
    /** Creates an owner and its first key, which the caller generated. */
    createOwner(name: string, key: string): CreatedKey {
      const { created, cached } = inTransaction(db, () => {
        const id = generateId('usr');
        db.prepare('INSERT INTO owners (id, name, created_at) VALUES (?, ?, ?)').run(
          id,
          name,
          new Date().toISOString(),
        );
        return insertedKey(id, 'default', key, null);
      });
      remember(cached);
      return created;
    },
    createKey(ownerId: string, name: string, createdBy: string): CreatedKey {
      const { created, cached } = insertedKey(ownerId, name, generateApiKey(), createdBy);
      remember(cached);
      return created;
    },
    findOwner: (id: string) => owner.get(id) as OwnerRecord | undefined,
    findKeyByHash: (hash: string) => keysByHash.get(hash),
    hasKey: (id: string) => keysById.has(id),
    touchKey: (id: string) => touch.run(new Date().toISOString(), id),
    listKeys: (ownerId: string) => list.all(ownerId) as KeyRecord[],
    removeKey(ownerId: string, id: string): void {
      if (remove.run(ownerId, id).changes === 0) return;
      keysByHash.delete(keysById.get(id)?.hash ?? '');
      keysById.delete(id);
    },
  };
}
