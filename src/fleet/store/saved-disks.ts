import type { Db } from './database.js';
import type { Notifier } from './events/notifier.js';
import type { SavedDiskRecord } from './records.js';

export type NewSavedDisk = Omit<SavedDiskRecord, 'state' | 'memory' | 'bytes' | 'created_at'>;

/** With how many computers were made from it, and how many of them are the owner's who asks. */
export type ImageRecord = SavedDiskRecord & {
  readonly used_by: number;
  readonly used_by_own: number;
};

/** Computers that were made from a saved disk, or are being put back to it. */
const HAS_COMPUTERS = `(EXISTS (SELECT 1 FROM computers WHERE computers.source = saved_disks.id)
  OR EXISTS (SELECT 1 FROM computers WHERE computers.reset_to = saved_disks.id))`;

/** They, and the cache of builds. */
const IS_USED = `(${HAS_COMPUTERS} OR EXISTS (SELECT 1 FROM build_steps WHERE disk_id = saved_disks.id))`;

/** What an image is called; 1 for all owners. */
export type ImageLabel = Pick<SavedDiskRecord, 'shared'> & { readonly name: string };
type Published = ImageLabel & { readonly config: string };

/** Whether a disk is this image already. */
export function isPublished(disk: SavedDiskRecord, { name, shared }: ImageLabel): boolean {
  return disk.state === 'ready' && disk.name === name && disk.shared === shared;
}

/** Snapshots, images of owners, what the copies of a fork share, and steps of image builds. */
export function savedDiskStore(db: Db, written: Notifier) {
  const insert = db.prepare(
    `INSERT INTO saved_disks (id, kind, owner_id, computer_id, engine, name, parent, state, os,
       config, shared, created_at)
     VALUES (:id, :kind, :owner_id, :computer_id, :engine, :name, :parent, 'saving', :os, :config,
       :shared, :now)`,
  );
  const byId = db.prepare('SELECT * FROM saved_disks WHERE id = ?');
  const snapshots = db.prepare(
    `SELECT * FROM saved_disks WHERE computer_id = ? AND name IS NOT NULL AND state <> 'retired'
       ORDER BY created_at, rowid`,
  );
  const images = db.prepare(
    `SELECT *, (SELECT count(*) FROM computers WHERE source = saved_disks.id) AS used_by,
       (SELECT count(*) FROM computers WHERE source = saved_disks.id AND computers.owner_id = :owner)
         AS used_by_own
       FROM saved_disks WHERE (owner_id = :owner OR shared = 1) AND kind = 'image' AND state = 'ready'
       ORDER BY shared, name`,
  );
  const complete = db.prepare(
    'UPDATE saved_disks SET state = :state, bytes = :bytes, memory = :memory WHERE id = :id',
  );
  const reparent = db.prepare('UPDATE saved_disks SET parent = ? WHERE parent = ?');
  const retire = db.prepare("UPDATE saved_disks SET state = 'retired' WHERE id = ?");
  const retireUnfinished = db.prepare(
    "UPDATE saved_disks SET state = 'retired' WHERE state = 'saving'",
  );
  const retireImage = db.prepare(
    `UPDATE saved_disks SET state = 'retired'
       WHERE name = :name AND shared = :shared AND (shared = 1 OR owner_id = :owner_id)
         AND kind = 'image' AND state = 'ready'`,
  );
  const publish = db.prepare(
    `UPDATE saved_disks SET state = 'ready', name = :name, config = :config, shared = :shared,
       created_at = CASE state WHEN 'ready' THEN created_at ELSE :now END WHERE id = :id`,
  );
  const forgetSteps = db.prepare('DELETE FROM build_steps WHERE owner_id = ?');
  const retireOwned = db.prepare("UPDATE saved_disks SET state = 'retired' WHERE owner_id = ?");
  const remove = db.prepare('DELETE FROM saved_disks WHERE id = ?');
  const bytes = db.prepare(
    'SELECT coalesce(sum(bytes), 0) AS bytes FROM saved_disks WHERE owner_id = ?',
  );
  const cached = db.prepare(
    `SELECT coalesce(sum(bytes), 0) AS bytes FROM saved_disks WHERE owner_id = ? AND state <> 'ready'
       AND id IN (SELECT disk_id FROM build_steps) AND NOT ${HAS_COMPUTERS}`,
  );
  const unused = db.prepare(
    `SELECT * FROM saved_disks WHERE engine = ? AND state <> 'ready' AND NOT ${IS_USED}`,
  );
  return {
    /** Writes that a disk is being saved. */
    insert: (disk: NewSavedDisk) => void insert.run({ ...disk, now: new Date().toISOString() }),
    find: (id: string) => byId.get(id) as SavedDiskRecord | undefined,
    /** Snapshots of a computer, the oldest first, with those that are being saved. */
    snapshots: (computerId: string) => snapshots.all(computerId) as SavedDiskRecord[],
    /** Images that an owner sees by name: its own first, then those for all. */
    images: (owner: string) => images.all({ owner }) as ImageRecord[],
    /** The disk is saved. An image replaces the one of its name. */
    complete(
      disk: SavedDiskRecord,
      state: 'ready' | 'retired',
      { bytes: size, memory }: { readonly bytes: number; readonly memory: boolean },
    ): void {
      const { id, owner_id, name, kind, shared } = disk;
      if (kind === 'image') retireImage.run({ owner_id, name, shared });
      complete.run({ id, state, bytes: size, memory: Number(memory) });
      written.notify(owner_id);
    },
    /** The disk of a step becomes an image, which replaces the one of its name. */
    publish(disk: SavedDiskRecord, { name, shared, config }: Published): void {
      const { id, owner_id } = disk;
      if (!isPublished(disk, { name, shared })) retireImage.run({ owner_id, name, shared });
      publish.run({ id, name, shared, config, now: new Date().toISOString() });
      written.notify(owner_id);
    },
    /** Its user has deleted it. Snapshots that were made after it get its parent. */
    retire({ id, parent, owner_id }: SavedDiskRecord): void {
      reparent.run(parent, id);
      retire.run(id);
      written.notify(owner_id);
    },
    /** The process that saved them has ended: their names are free, and their disks are removed. */
    retireUnfinished: () => void retireUnfinished.run(),
    /** The owner is being removed; so are its computers. */
    retireOfOwner(ownerId: string): void {
      forgetSteps.run(ownerId);
      retireOwned.run(ownerId);
    },
    /** The engine has removed it. */
    remove: (id: string) => void remove.run(id),
    /** What the owner's disks take. */
    bytes: (ownerId: string) => (bytes.get(ownerId) as { bytes: number }).bytes,
    /** What of it only the cache of builds needs. */
    cachedBytes: (ownerId: string) => (cached.get(ownerId) as { bytes: number }).bytes,
    /** Disks of an engine to remove: retired, or being saved, and nothing needs them. */
    unused: (engine: string) => unused.all(engine) as SavedDiskRecord[],
  };
}
