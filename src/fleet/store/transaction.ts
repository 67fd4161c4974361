import type Database from 'libsql';

/**
 * Runs `work` as one transaction. On a full disk SQLite rolls back automatically; the driver's own
 * `transaction` then fails in its second rollback and hides the original error.
 */
export function inTransaction<T>(db: Database.Database, work: () => T): T {
  db.exec('BEGIN');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
