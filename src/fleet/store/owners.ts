import { generateApiKey, generateId, hashApiKey } from '../ids.js';
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

/** Owners and their API keys. A key itself is never stored, only its hash. */
export function ownerStore(db: Db) {
  const insertKey = db.prepare(
    'INSERT INTO keys (id, owner_id, name, hash, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const byHash = db.prepare('SELECT * FROM keys WHERE hash = ?');
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?');
  const list = db.prepare('SELECT * FROM keys WHERE owner_id = ? ORDER BY created_at, id');
  const remove = db.prepare('DELETE FROM keys WHERE owner_id = ? AND id = ?');
  const owner = db.prepare('SELECT * FROM owners WHERE id = ?');

  function createKey(ownerId: string, name: string, key = generateApiKey()) {
    const id = generateId('key');
    const createdAt = new Date().toISOString();
    insertKey.run(id, ownerId, name, hashApiKey(key), createdAt);
    return { id, name, key, created_at: createdAt, last_used_at: null };
  }

  return {
    hasOwners: () => db.prepare('SELECT id FROM owners LIMIT 1').get() !== undefined,
    /** Makes an owner with a first key whose text the caller has made, in one step. */
    createOwner: (name: string, key: string) =>
      inTransaction(db, () => {
        const id = generateId('usr');
        db.prepare('INSERT INTO owners (id, name, created_at) VALUES (?, ?, ?)').run(
          id,
          name,
          new Date().toISOString(),
        );
        return createKey(id, 'default', key);
      }),
    createKey,
    findOwner: (id: string) => owner.get(id) as OwnerRecord | undefined,
    findKeyByHash: (hash: string) => byHash.get(hash) as KeyRecord | undefined,
    touchKey: (id: string) => touch.run(new Date().toISOString(), id),
    listKeys: (ownerId: string) => list.all(ownerId) as KeyRecord[],
    removeKey: (ownerId: string, id: string) => remove.run(ownerId, id).changes > 0,
  };
}

export type OwnerStore = ReturnType<typeof ownerStore>;
