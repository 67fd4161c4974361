import type { Db } from './database.js';
import { inTransaction } from './transaction.js';

/**
 * Machines that carry the service's label and are no computer's, and yet are not removed: they were
 * there when the state was restored, perhaps as computers that were made after the backup.
 */
export function strangerStore(db: Db) {
  const restored = db.prepare('SELECT restored_at FROM service');
  const insert = db.prepare('INSERT OR IGNORE INTO strangers VALUES (?, ?)');
  const find = db.prepare('SELECT id FROM strangers WHERE engine = ? AND id = ?');

  return {
    /** Of machines that no computer owns, those that may be removed. The first look decides. */
    removable(engine: string, unowned: readonly string[]): string[] {
      const { restored_at } = restored.get() as { restored_at: string | null };
      if (restored_at === null) return [...unowned];
      if (find.get(engine, '') === undefined) {
        inTransaction(db, () => {
          for (const id of ['', ...unowned]) insert.run(engine, id);
        });
      }
      return unowned.filter((id) => find.get(engine, id) === undefined);
    },
  };
}
