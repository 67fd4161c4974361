import type { Db } from '../database.js';
import type { SecretRecord } from '../records.js';
import type { SecretBox } from '../secret-box.js';

/** A secret without its value. */
export type ListedSecret = Pick<SecretRecord, 'name' | 'created_at' | 'updated_at'>;

/** Secrets of projects. Their values are encrypted. */
export function secretStore(db: Db, secretBox: SecretBox) {
  const set = db.prepare(
    `INSERT INTO secrets (project_id, name, sealed, bytes, created_at, updated_at)
     VALUES (:project, :name, :sealed, length(:sealed), :now, :now)
     ON CONFLICT (project_id, name) DO UPDATE SET
       sealed = excluded.sealed, bytes = excluded.bytes, updated_at = :now`,
  );
  const find = db.prepare('SELECT * FROM secrets WHERE project_id = ? AND name = ?');
  const list = db.prepare(
    'SELECT name, created_at, updated_at FROM secrets WHERE project_id = ? ORDER BY name',
  );
  const count = db.prepare('SELECT count(*) AS count FROM secrets WHERE project_id = ?');
  const usage = db.prepare(
    `SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes
     FROM projects JOIN secrets ON secrets.project_id = projects.id WHERE projects.owner_id = ?`,
  );
  const remove = db.prepare('DELETE FROM secrets WHERE project_id = ? AND name = ?');

  return {
    set(project: string, name: string, value: string): void {
      const sealed = secretBox.seal(value, context(project, name));
      set.run({ project, name, sealed, now: new Date().toISOString() });
    },
    find: (projectId: string, name: string) =>
      find.get(projectId, name) as SecretRecord | undefined,
    list: (projectId: string) => list.all(projectId) as ListedSecret[],
    count: (projectId: string) => (count.get(projectId) as { count: number }).count,
    /** How many the owner has in all projects, and the bytes of their encrypted values. */
    usageOf: (ownerId: string) => usage.get(ownerId) as { count: number; bytes: number },
    remove: (projectId: string, name: string) => remove.run(projectId, name).changes > 0,
    /** Undefined when the key that it was encrypted with is gone. */
    open: ({ project_id, name, sealed }: SecretRecord) =>
      secretBox.open(sealed, context(project_id, name)),
  };
}

/** A sealed value that is moved to another row does not open there. */
function context(projectId: string, name: string): string {
  return `secret ${projectId} ${name}`;
}
