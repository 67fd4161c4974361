import type { Db } from './database.js';

/** A creation that was made with an idempotency key. */
export interface CreationRecord {
  /** Of what was asked for. */
  readonly request_hash: string;
  readonly resource_id: string;
  /** The answer as JSON; null if it was not given before the service ended. */
  readonly answer: string | null;
}

/** How long a key is kept, in milliseconds of the service's running time, and how many of an owner. */
const KEPT_MS = 24 * 60 * 60_000;
const MOST = 1_000;

/**
 * The service's running time in milliseconds. It continues at the last time that was written, so after
 * a crash what was kept seems younger than it is.
 */
function runningTime(db: Db, elapsed: () => number): () => number {
  const written = db.prepare(
    `SELECT max(coalesce((SELECT max(uptime_ms) FROM audit_marks), 0),
       coalesce((SELECT max(uptime_ms) FROM idempotency_keys), 0)) AS ms`,
  );
  const { ms } = written.get() as { ms: number };
  const openedAt = elapsed();
  return () => ms + Math.round(elapsed() - openedAt);
}

/** Idempotency keys of creations. `elapsed` is a clock that does not jump, in milliseconds. */
export function idempotencyStore(db: Db, elapsed = () => performance.now()) {
  const now = runningTime(db, elapsed);
  const find = db.prepare(
    `SELECT request_hash, resource_id, answer FROM idempotency_keys
     WHERE owner_id = ? AND key = ? AND uptime_ms >= ?`,
  );
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotency_keys
       (owner_id, key, request_hash, resource_id, created_at, uptime_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const setAnswer = db.prepare(
    'UPDATE idempotency_keys SET answer = ? WHERE owner_id = ? AND key = ?',
  );
  const dropOld = db.prepare('DELETE FROM idempotency_keys WHERE owner_id = ? AND uptime_ms < ?');
  const dropMany = db.prepare(
    `DELETE FROM idempotency_keys WHERE owner_id = :owner AND rowid <=
       (SELECT rowid FROM idempotency_keys WHERE owner_id = :owner
          ORDER BY rowid DESC LIMIT 1 OFFSET ${MOST})`,
  );
  const oldest = () => now() - KEPT_MS;
  return {
    find: (ownerId: string, key: string) =>
      find.get(ownerId, key, oldest()) as CreationRecord | undefined,
    /** Keeps the key; to be called in the transaction of the creation. */
    add(ownerId: string, key: string, hash: string, resourceId: string): void {
      insert.run(ownerId, key, hash, resourceId, new Date().toISOString(), now());
      dropOld.run(ownerId, oldest());
      dropMany.run({ owner: ownerId });
    },
    setAnswer: (ownerId: string, key: string, answer: string) =>
      setAnswer.run(answer, ownerId, key),
  };
}
