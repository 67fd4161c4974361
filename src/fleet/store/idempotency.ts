import type { Db } from './database.js';

/** A creation that was made with an idempotency key. */
export interface CreationRecord {
  /** Of what was asked for. */
  readonly request_hash: string;
  readonly resource_id: string;
  /** The answer as JSON; null if it was not given before the service ended. */
  readonly answer: string | null;
}

/** How long a key is kept, in milliseconds, and how many of an owner: the oldest are dropped. */
const KEPT_MS = 24 * 60 * 60_000;
const MOST = 1_000;

/** Idempotency keys of creations. */
export function idempotencyStore(db: Db) {
  const find = db.prepare(
    `SELECT request_hash, resource_id, answer FROM idempotency_keys
     WHERE owner_id = ? AND key = ? AND created_at >= ?`,
  );
  const insert = db.prepare('INSERT OR REPLACE INTO idempotency_keys VALUES (?, ?, ?, ?, NULL, ?)');
  const setAnswer = db.prepare(
    'UPDATE idempotency_keys SET answer = ? WHERE owner_id = ? AND key = ?',
  );
  const dropOld = db.prepare(
    `DELETE FROM idempotency_keys WHERE owner_id = ?1 AND (created_at < ?2 OR rowid <=
       (SELECT rowid FROM idempotency_keys WHERE owner_id = ?1
          ORDER BY rowid DESC LIMIT 1 OFFSET ?3))`,
  );
  const oldest = () => new Date(Date.now() - KEPT_MS).toISOString();
  return {
    find: (ownerId: string, key: string) =>
      find.get(ownerId, key, oldest()) as CreationRecord | undefined,
    /** Keeps the key; to be called in the transaction of the creation. */
    add(ownerId: string, key: string, hash: string, resourceId: string): void {
      insert.run(ownerId, key, hash, resourceId, new Date().toISOString());
      dropOld.run(ownerId, oldest(), MOST);
    },
    setAnswer: (ownerId: string, key: string, answer: string) =>
      setAnswer.run(answer, ownerId, key),
  };
}
