import type { Db } from '../database.js';

/** A session of the web page. Its secret is never stored, only its hash. */
export interface SessionRecord {
  readonly id: string;
  readonly hash: string;
  readonly key_id: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** Sessions of the web page. They are removed with their keys. */
export function sessionStore(db: Db) {
  const insert = db.prepare(
    'INSERT INTO sessions (id, hash, key_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM sessions WHERE id = ?');
  const list = db.prepare('SELECT * FROM sessions ORDER BY created_at, id');
  return {
    insert: ({ id, hash, key_id, created_at, expires_at }: SessionRecord) =>
      void insert.run(id, hash, key_id, created_at, expires_at),
    remove: (id: string) => void remove.run(id),
    /** The oldest first. */
    list: () => list.all() as SessionRecord[],
  };
}
