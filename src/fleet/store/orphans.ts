import type { Db } from './database.js';
import { inTransaction } from './transaction.js';

/**
 * Orphans kept after a restore: machines with the service's label but without a computer. They may
 * be computers that were created after the backup.
 */
export function orphanStore(db: Db) {
  const restored = db.prepare('SELECT restored_at FROM service');
  const insert = db.prepare('INSERT OR IGNORE INTO strangers VALUES (?, ?)');
  const find = db.prepare('SELECT id FROM strangers WHERE engine = ? AND id = ?');

  return {
    /** Returns the orphans that may be removed: after a restore, those not in the first call. */
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
