import type Database from 'libsql';

/**
 * Runs `work` as one transaction: all of it is written, or nothing. A full disk makes SQLite roll
 * back by itself; the driver's own `transaction` then fails to do so once more, and hides why.
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
