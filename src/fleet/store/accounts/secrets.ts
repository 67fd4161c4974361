import type { Db } from '../database.js';
import type { SecretRecord } from '../records.js';
import type { SecretBox } from '../secret-box.js';

/** Secrets of projects. Their values are encrypted. */
export function secretStore(db: Db, secretBox: SecretBox) {
  const set = db.prepare(
    `INSERT INTO secrets (project_id, name, sealed, created_at, updated_at)
     VALUES (:project, :name, :sealed, :now, :now)
     ON CONFLICT (project_id, name) DO UPDATE SET sealed = excluded.sealed, updated_at = :now`,
  );
  const find = db.prepare('SELECT * FROM secrets WHERE project_id = ? AND name = ?');
  const list = db.prepare('SELECT * FROM secrets WHERE project_id = ? ORDER BY name');
  const remove = db.prepare('DELETE FROM secrets WHERE project_id = ? AND name = ?');

  return {
    set(project: string, name: string, value: string): void {
      const sealed = secretBox.seal(value, context(project, name));
      set.run({ project, name, sealed, now: new Date().toISOString() });
    },
    find: (projectId: string, name: string) =>
      find.get(projectId, name) as SecretRecord | undefined,
    list: (projectId: string) => list.all(projectId) as SecretRecord[],
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
