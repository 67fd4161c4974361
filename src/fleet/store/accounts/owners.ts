import type { CreatedKey } from '../../../contract/resources.js';
import { generateId } from '../../computers/ids.js';
import type { Db } from '../database.js';
import { IS_COUNTED, type OwnerRecord } from '../records.js';
import { inTransaction } from '../transaction.js';
import type { KeyStore } from './keys.js';

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

/** The resources of an owner. */
export interface OwnerCounts {
  readonly project_count: number;
  readonly computer_count: number;
  /** Computers that count against its limit. */
  readonly running: number;
  readonly storage_bytes: number;
}

export type NewOwner = Pick<OwnerRecord, 'name' | 'role' | 'max_running' | 'created_by'> &
  Partial<Pick<OwnerRecord, 'max_storage'>>;

/** Owners. */
export function ownerStore(db: Db, keys: KeyStore) {
  const insertOwner = db.prepare(
    `INSERT INTO owners (id, name, role, max_running, max_storage, created_at, created_by)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectOwner = db.prepare('SELECT * FROM owners WHERE id = ?');
  const setLimits = db.prepare('UPDATE owners SET max_running = ?, max_storage = ? WHERE id = ?');
  const setDeleting = db.prepare('UPDATE owners SET deleting_by = ? WHERE id = ?');
  const deleteKeys = db.prepare('DELETE FROM keys WHERE owner_id = ?');
  const deleteProjects = db.prepare('DELETE FROM projects WHERE owner_id = ?');
  const deleteOwner = db.prepare('DELETE FROM owners WHERE id = ?');
  const counts = `SELECT id,
    (SELECT count(*) FROM projects WHERE owner_id = owners.id) AS project_count,
    (SELECT count(*) FROM computers WHERE owner_id = owners.id) AS computer_count,
    (SELECT count(*) FROM computers WHERE owner_id = owners.id AND ${IS_COUNTED}) AS running,
    (SELECT coalesce(sum(bytes), 0) FROM saved_disks WHERE owner_id = owners.id) AS storage_bytes
    FROM owners`;
  const countEach = db.prepare(counts);
  const countOf = db.prepare(`${counts} WHERE id = ?`);
  /**
   * Every owner by id. Always current: this process is the only writer, and owners are added after,
   * and removed with, their rows.
   */
  const owners = new Map<string, OwnerRecord>();
  for (const row of db.prepare('SELECT * FROM owners ORDER BY created_at, rowid').all()) {
    const owner = row as OwnerRecord;
    owners.set(owner.id, owner);
  }
  function reread(id: string): OwnerRecord {
    const owner = selectOwner.get(id) as OwnerRecord;
    owners.set(id, owner);
    return owner;
  }

  return {
    hasOwners: () => owners.size > 0,
    /** Creates an owner and its first key, which the caller generated. */
    createOwner(owner: NewOwner, key: string): { owner: OwnerRecord; key: CreatedKey } {
      const id = generateId('usr');
      const { created, remember } = inTransaction(db, () => {
        const { name, role, max_running, max_storage = null, created_by } = owner;
        const now = new Date().toISOString();
        insertOwner.run(id, name, role, max_running, max_storage, now, created_by);
        const first = { name: 'default', text: key, rights: 'manage', project: null } as const;
        return keys.insert(id, { ...first, expires_at: null, created_by });
      });
      remember();
      return { owner: reread(id), key: created };
    },
    findOwner: (id: string) => owners.get(id),
    /** The oldest first. */
    listOwners: () => [...owners.values()],
    counts: (id: string) => countOf.get(id) as OwnerCounts | undefined,
    /** By owner id. */
    countEach: () =>
      new Map((countEach.all() as (OwnerCounts & { id: string })[]).map((row) => [row.id, row])),
    setLimits({ id, max_running, max_storage }: OwnerRecord): OwnerRecord {
      setLimits.run(max_running, max_storage, id);
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
      return keys.forgetWhere((key) => key.owner_id === id);
    },
    /** Removes the rows of an owner that has no computers. */
    writeRemoval(id: string): void {
      deleteProjects.run(id);
      deleteOwner.run(id);
    },
    /** The owner was removed. */
    forgetOwner: (id: string) => void owners.delete(id),
  };
}
