import type { Db } from './database.js';
import type { ComputerRecord, VolumeRecord } from './records.js';

/** Of computers: whether one mounts the volume with an id. */
const mounts = (id: string) => `computers.volumes <> '[]'
  AND EXISTS (SELECT 1 FROM json_each(computers.volumes) WHERE value ->> 'id' = ${id})`;

export function volumeStore(db: Db) {
  const insert = db.prepare(
    `INSERT INTO volumes (id, owner_id, engine, member, name, state, created_at)
     VALUES (:id, :owner_id, :engine, :member, :name, 'creating', :now)`,
  );
  const find = db.prepare('SELECT * FROM volumes WHERE id = ?');
  // Computers mount volumes of their owner only.
  const ofOwner = db.prepare(
    `SELECT *, (SELECT count(*) FROM computers
         WHERE computers.owner_id = volumes.owner_id AND ${mounts('volumes.id')}) AS used_by
       FROM volumes WHERE owner_id = ? AND state <> 'deleting' ORDER BY name`,
  );
  const users = db.prepare(
    `SELECT id FROM computers WHERE owner_id = ? AND ${mounts('?')} ORDER BY created_at, id`,
  );
  const setState = db.prepare('UPDATE volumes SET state = ? WHERE id = ?');
  const setBytes = db.prepare('UPDATE volumes SET bytes = ? WHERE id = ?');
  const deleteUnfinished = db.prepare(
    "UPDATE volumes SET state = 'deleting' WHERE state <> 'ready' AND state = 'creating'",
  );
  const deleteOwned = db.prepare("UPDATE volumes SET state = 'deleting' WHERE owner_id = ?");
  const deleting = db.prepare(
    "SELECT * FROM volumes WHERE state <> 'ready' AND state = 'deleting' AND engine = ?",
  );
  const remove = db.prepare('DELETE FROM volumes WHERE id = ?');
  const bytes = db.prepare(
    'SELECT coalesce(sum(bytes), 0) AS bytes FROM volumes WHERE owner_id = ?',
  );
  return {
    /** Writes that a volume is being created. */
    insert: (volume: Pick<VolumeRecord, 'id' | 'owner_id' | 'engine' | 'member' | 'name'>) =>
      void insert.run({ ...volume, now: new Date().toISOString() }),
    find: (id: string) => find.get(id) as VolumeRecord | undefined,
    /** Volumes of an owner by name, with those that are being created. */
    list: (ownerId: string) => ofOwner.all(ownerId) as (VolumeRecord & { used_by: number })[],
    /** Ids of the computers that mount it. */
    users: ({ owner_id, id }: Pick<VolumeRecord, 'owner_id' | 'id'>) =>
      (users.all(owner_id, id) as Pick<ComputerRecord, 'id'>[]).map((row) => row.id),
    setState: (id: string, state: VolumeRecord['state']) => void setState.run(state, id),
    setBytes: (id: string, size: number) => void setBytes.run(size, id),
    /** The process that created them has ended: they are removed. */
    deleteUnfinished: () => void deleteUnfinished.run(),
    /** The owner is being removed; so are its computers. */
    deleteOfOwner: (ownerId: string) => void deleteOwned.run(ownerId),
    /** Volumes of an engine to remove. */
    deleting: (engine: string) => deleting.all(engine) as VolumeRecord[],
    /** The engine has removed it. */
    remove: (id: string) => void remove.run(id),
    /** What the owner's volumes took when they were measured. */
    bytes: (ownerId: string) => (bytes.get(ownerId) as { bytes: number }).bytes,
  };
}
