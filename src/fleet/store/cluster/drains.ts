import type { Db } from '../database.js';

/** A member of an engine's cluster whose computers are to be on others. */
export interface DrainRow {
  readonly engine: string;
  readonly member: string;
  readonly since: string;
}

export function drainStore(db: Db) {
  const insert = db.prepare('INSERT OR IGNORE INTO drains VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM drains WHERE engine = ? AND member = ?');
  const all = db.prepare('SELECT * FROM drains ORDER BY since, engine, member');
  const find = db.prepare('SELECT * FROM drains WHERE engine = ? AND member = ?');

  return {
    add: (engine: string, member: string) => {
      insert.run(engine, member, new Date().toISOString());
    },
    remove: (engine: string, member: string) => {
      remove.run(engine, member);
    },
    find: (engine: string, member: string) => find.get(engine, member) as DrainRow | undefined,
    /** The oldest first. */
    list: () => all.all() as DrainRow[],
  };
}
