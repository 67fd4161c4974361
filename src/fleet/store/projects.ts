import { generateId } from '../computers/ids.js';
import type { Db } from './database.js';
import type { Notifier } from './events/notifier.js';
import type { ProjectRecord } from './records.js';

export type ProjectRow = ProjectRecord & { readonly computer_count: number };

const SELECT = `SELECT projects.*,
  (SELECT count(*) FROM computers WHERE project_id = projects.id) AS computer_count FROM projects`;

/** `onRenamed` is called with the id after each change of a name, which computers have as well. */
export function projectStore(db: Db, written: Notifier, onRenamed: (id: string) => void) {
  const removed: ((id: string) => void)[] = [];
  const insert = db.prepare(
    'INSERT INTO projects (id, owner_id, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  );
  // An id wins over a name, so that no project can be named to stand for another one.
  const find = db.prepare(
    `${SELECT} WHERE owner_id = ? AND (name = ? OR id = ?) ORDER BY id = ? DESC LIMIT 1`,
  );
  const byName = db.prepare(`${SELECT} WHERE owner_id = ? AND name = ?`);
  const ofOwner = db.prepare(`${SELECT} WHERE owner_id = ? AND id = ?`);
  const byId = db.prepare(`${SELECT} WHERE id = ?`);
  const list = db.prepare(`${SELECT} WHERE owner_id = ? ORDER BY created_at, id`);
  const names = db.prepare(
    'SELECT name FROM projects WHERE owner_id = ? AND id = coalesce(?, id) ORDER BY name LIMIT ?',
  );
  const count = db.prepare('SELECT count(*) AS count FROM projects WHERE owner_id = ?');
  const deleting = db.prepare(`${SELECT} WHERE deleting = 1`);
  const markDeleting = db.prepare('UPDATE projects SET deleting = 1, updated_at = ? WHERE id = ?');
  const rename = db.prepare('UPDATE projects SET name = ?, updated_at = ? WHERE id = ?');
  const touch = db.prepare('UPDATE projects SET updated_at = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM projects WHERE id = ?');

  const notify = (project: ProjectRow | undefined) => {
    if (project !== undefined) written.notify(project.owner_id);
  };

  return {
    /** Undefined when the owner has a project of that name. `id` is that of a lost project. */
    create(ownerId: string, name: string, id = generateId('prj')): ProjectRow | undefined {
      if (byName.get(ownerId, name) !== undefined) return undefined;
      const now = new Date().toISOString();
      insert.run(id, ownerId, name, now, now);
      written.notify(ownerId);
      return ofOwner.get(ownerId, id) as ProjectRow;
    },
    /** By id or name; an id wins. */
    find: (ownerId: string, nameOrId: string) =>
      find.get(ownerId, nameOrId, nameOrId, nameOrId) as ProjectRow | undefined,
    /** By id only. */
    findOfOwner: (ownerId: string, id: string) =>
      ofOwner.get(ownerId, id) as ProjectRow | undefined,
    /** Of any owner. */
    findById: (id: string) => byId.get(id) as ProjectRow | undefined,
    list: (ownerId: string) => list.all(ownerId) as ProjectRow[],
    /** The first names, of one project if its id is given. */
    names: (ownerId: string, projectId: string | undefined, most: number) =>
      (names.all(ownerId, projectId ?? null, most) as { name: string }[]).map(({ name }) => name),
    /** Whether the owner has a project of that name; ids do not count. */
    hasName: (ownerId: string, name: string) => byName.get(ownerId, name) !== undefined,
    count: (ownerId: string) => (count.get(ownerId) as { count: number }).count,
    listDeleting: () => deleting.all() as ProjectRow[],
    markDeleting: (id: string) => markDeleting.run(new Date().toISOString(), id),
    rename(id: string, name: string): void {
      rename.run(name, new Date().toISOString(), id);
      onRenamed(id);
      notify(byId.get(id) as ProjectRow | undefined);
    },
    touch: (id: string) => touch.run(new Date().toISOString(), id),
    /** Called with the id of every project that is removed. */
    onRemoved: (listener: (id: string) => void) => void removed.push(listener),
    remove(id: string): void {
      const project = byId.get(id) as ProjectRow | undefined;
      remove.run(id);
      for (const listener of removed) listener(id);
      notify(project);
    },
  };
}
