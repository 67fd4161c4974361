import type { Db } from '../database.js';

/** Background commands whose end was not reported yet. */
export function watchedJobStore(db: Db) {
  const insert = db.prepare('INSERT OR IGNORE INTO watched_jobs VALUES (?, ?)');
  const select = db.prepare('SELECT id FROM watched_jobs WHERE computer_id = ? ORDER BY id');
  const computers = db.prepare('SELECT DISTINCT computer_id AS id FROM watched_jobs');
  const remove = db.prepare('DELETE FROM watched_jobs WHERE computer_id = ? AND id = ?');
  return {
    add: (computerId: string, id: string) => insert.run(computerId, id),
    list: (computerId: string) => (select.all(computerId) as { id: string }[]).map(({ id }) => id),
    /** Ids of the computers that have any. */
    computers: () => (computers.all() as { id: string }[]).map(({ id }) => id),
    remove: (computerId: string, id: string) => remove.run(computerId, id),
  };
}
