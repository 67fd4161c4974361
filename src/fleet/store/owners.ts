import type { CreatedKey } from '../../contract/resources.js';
import { generateApiKey, generateId, hashApiKey } from '../computers/ids.js';
import type { Db } from './database.js';
import { type KeyRecord, OCCUPYING, type OwnerRecord } from './records.js';
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

/** The resources of an owner. */
export interface OwnerCounts {
  readonly project_count: number;
  readonly computer_count: number;
  /** Computers that count against its limit. */
  readonly running: number;
}

export type NewOwner = Pick<OwnerRecord, 'name' | 'role' | 'max_running' | 'created_by'>;

/** Owners and their API keys. A key itself is never stored, only its hash. */
export function ownerStore(db: Db) {
  const insertOwner = db.prepare(
    `INSERT INTO owners (id, name, role, max_running, created_at, created_by)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const selectOwner = db.prepare('SELECT * FROM owners WHERE id = ?');
  const setMaxRunning = db.prepare('UPDATE owners SET max_running = ? WHERE id = ?');
  const setDeleting = db.prepare('UPDATE owners SET deleting_by = ? WHERE id = ?');
  const deleteKeys = db.prepare('DELETE FROM keys WHERE owner_id = ?');
  const deleteProjects = db.prepare('DELETE FROM projects WHERE owner_id = ?');
  const deleteOwner = db.prepare('DELETE FROM owners WHERE id = ?');
  const occupying = OCCUPYING.map((status) => `'${status}'`).join(', ');
  const counts = `SELECT id,
    (SELECT count(*) FROM projects WHERE owner_id = owners.id) AS project_count,
    (SELECT count(*) FROM computers WHERE owner_id = owners.id) AS computer_count,
    (SELECT count(*) FROM computers WHERE owner_id = owners.id AND status IN (${occupying})
       AND NOT (copy_of IS NOT NULL AND copy_runs = 0)) AS running
    FROM owners`;
  const countEach = db.prepare(counts);
  const countOf = db.prepare(`${counts} WHERE id = ?`);
  const insertKey = db.prepare(
    'INSERT INTO keys (id, owner_id, name, hash, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?');
  const list = db.prepare('SELECT * FROM keys WHERE owner_id = ? ORDER BY created_at, id');
  const remove = db.prepare('DELETE FROM keys WHERE owner_id = ? AND id = ?');

  /**
   * Every owner by id, and every key by its hash and by its id. Always current: this process is the
   * only writer, and both are added after, and removed with, their rows.
   */
  const owners = new Map<string, OwnerRecord>();
  for (const row of db.prepare('SELECT * FROM owners ORDER BY created_at, rowid').all()) {
    const owner = row as OwnerRecord;
    owners.set(owner.id, owner);
  }
  const keysByHash = new Map<string, CachedKey>();
  const keysById = new Map<string, CachedKey>();
  function remember({ id, owner_id, hash }: CachedKey): void {
    const key = { id, owner_id, hash };
    keysByHash.set(hash, key);
    keysById.set(id, key);
  }
  function forget(key: CachedKey | undefined): void {
    if (key === undefined) return;
    keysByHash.delete(key.hash);
    keysById.delete(key.id);
  }
  for (const key of db.prepare('SELECT id, owner_id, hash FROM keys').all()) {
    remember(key as CachedKey);
  }
  function reread(id: string): OwnerRecord {
    const owner = selectOwner.get(id) as OwnerRecord;
    owners.set(id, owner);
    return owner;
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
    hasOwners: () => owners.size > 0,
    /** Creates an owner and its first key, which the caller generated. */
    createOwner(owner: NewOwner, key: string): { owner: OwnerRecord; key: CreatedKey } {
      const id = generateId('usr');
      const { created, cached } = inTransaction(db, () => {
        const { name, role, max_running, created_by } = owner;
        insertOwner.run(id, name, role, max_running, new Date().toISOString(), created_by);
        return insertedKey(id, 'default', key, created_by);
      });
      remember(cached);
      return { owner: reread(id), key: created };
    },
    findOwner: (id: string) => owners.get(id),
    /** The oldest first. */
    listOwners: () => [...owners.values()],
    counts: (id: string) => countOf.get(id) as OwnerCounts | undefined,
    /** By owner id. */
    countEach: () =>
      new Map((countEach.all() as (OwnerCounts & { id: string })[]).map((row) => [row.id, row])),
    setMaxRunning(id: string, maxRunning: number | null): OwnerRecord {
      setMaxRunning.run(maxRunning, id);
      return reread(id);
    },
    /** Writes that the owner is being deleted, and removes its keys. */
    writeDeletion(id: string, keyId: string): void {
      setDeleting.run(keyId, id);
      deleteKeys.run(id);
    },
    /** The owner is being deleted, whether that could be written or not. Returns its keys' ids. */
    startDeletion(id: string, keyId: string): string[] {
      const owner = owners.get(id);
      if (owner) owners.set(id, { ...owner, deleting_by: keyId });
      const keys = [...keysById.values()].filter((key) => key.owner_id === id);
      for (const key of keys) forget(key);
      return keys.map((key) => key.id);
    },
    /** Removes the rows of an owner that has no computers. */
    writeRemoval(id: string): void {
      deleteProjects.run(id);
      deleteOwner.run(id);
    },
    /** The owner was removed. */
    forgetOwner: (id: string) => void owners.delete(id),

    createKey(ownerId: string, name: string, createdBy: string): CreatedKey {
      const { created, cached } = insertedKey(ownerId, name, generateApiKey(), createdBy);
      remember(cached);
      return created;
    },
    findKeyByHash: (hash: string) => keysByHash.get(hash),
    hasKey: (id: string) => keysById.has(id),
    /** Whose key it is; undefined for one that was removed. */
    ownerOfKey: (id: string) => keysById.get(id)?.owner_id,
    touchKey: (id: string) => touch.run(new Date().toISOString(), id),
    listKeys: (ownerId: string) => list.all(ownerId) as KeyRecord[],
    removeKey(ownerId: string, id: string): void {
      if (remove.run(ownerId, id).changes > 0) forget(keysById.get(id));
    },
  };
}
