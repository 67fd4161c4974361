import type { Db } from './database.js';

/** A disk that was saved after a step of an image build. */
export interface BuildStepRecord {
  readonly owner_id: string;
  readonly engine: string;
  readonly key: string;
  /** Key of the step before it; null for the first one of a stage. */
  readonly parent: string | null;
  readonly disk_id: string;
}

/** The cache of image builds, and the projects of builds that run. */
export function buildStepStore(db: Db) {
  const find = db.prepare(
    'SELECT * FROM build_steps WHERE owner_id = ? AND engine = ? AND key = ?',
  );
  const put = db.prepare(
    `INSERT OR REPLACE INTO build_steps (owner_id, engine, key, parent, disk_id, used_at)
     VALUES (:owner_id, :engine, :key, :parent, :disk_id, :now)`,
  );
  const touch = db.prepare(
    'UPDATE build_steps SET used_at = ? WHERE owner_id = ? AND engine = ? AND key = ?',
  );
  // Of steps that were used together, those first that no other disk builds on.
  const oldest = db.prepare(
    'SELECT * FROM build_steps WHERE owner_id = ? ORDER BY used_at, rowid DESC',
  );
  const ofDisk = db.prepare('SELECT 1 FROM build_steps WHERE disk_id = ?');
  const remove = db.prepare(
    'DELETE FROM build_steps WHERE owner_id = ? AND engine = ? AND key = ?',
  );
  const removeOfDisk = db.prepare('DELETE FROM build_steps WHERE disk_id = ?');
  const addProject = db.prepare('INSERT INTO build_projects (project_id) VALUES (?)');
  const abandon = db.prepare(
    'UPDATE projects SET deleting = 1 WHERE id IN (SELECT project_id FROM build_projects)',
  );
  return {
    find: (ownerId: string, engine: string, key: string) =>
      find.get(ownerId, engine, key) as BuildStepRecord | undefined,
    /** Replaces the disk of the same key. */
    put: (step: BuildStepRecord) => void put.run({ ...step, now: new Date().toISOString() }),
    /** The step and those before it are used now. */
    touch(ownerId: string, engine: string, key: string): void {
      const now = new Date().toISOString();
      const touched = new Set<string>();
      let next: string | null = key;
      while (next !== null && !touched.has(next)) {
        touched.add(next);
        touch.run(now, ownerId, engine, next);
        const step = find.get(ownerId, engine, next) as BuildStepRecord | undefined;
        next = step?.parent ?? null;
      }
    },
    /** Steps of the owner, those first that were not used for the longest time. */
    oldest: (ownerId: string) => oldest.all(ownerId) as BuildStepRecord[],
    /** Whether a step has this disk. */
    hasDisk: (diskId: string) => ofDisk.get(diskId) !== undefined,
    remove: ({ owner_id, engine, key }: Pick<BuildStepRecord, 'owner_id' | 'engine' | 'key'>) =>
      void remove.run(owner_id, engine, key),
    removeOfDisk: (diskId: string) => void removeOfDisk.run(diskId),
    /** The project has the computers of a build, and is removed with it. */
    addProject: (id: string) => void addProject.run(id),
    /** Marks the projects of builds for deletion: none runs when the service starts. */
    abandonProjects: () => void abandon.run(),
  };
}
