import type { Db } from './database.js';
import { inTransaction } from './transaction.js';

/** Days with an entry that are kept. Counted, because the wall clock may jump. */
const KEPT_DAYS = 90;
/** Rows in one answer. */
const MOST = 10_000;

/** What was used; added to what is there. */
export interface UsageAmounts {
  readonly computers: number;
  readonly computer_ms: number;
  readonly actions: number;
  readonly bytes: number;
}

/** Whose usage: the project is empty for what belongs to none. */
export interface UsageSubject {
  readonly owner_id: string;
  readonly key_id: string;
  readonly project_id: string;
}

export type UsageRow = UsageSubject &
  UsageAmounts & {
    readonly day: string;
    /** The last name of a deleted key or project; null if it was not kept. */
    readonly key_name: string | null;
    readonly key_deleted: 0 | 1;
    readonly project_name: string | null;
    readonly project_deleted: 0 | 1;
  };

/** What owners used, by day, key and project. */
export function usageStore(db: Db) {
  const add = db.prepare(
    `INSERT INTO usage (day, owner_id, key_id, project_id, computers, computer_ms, actions, bytes)
       SELECT ?, id, ?, ?, ?, ?, ?, ? FROM owners WHERE id = ?
     ON CONFLICT (owner_id, day, key_id, project_id) DO UPDATE SET
       computers = computers + excluded.computers, computer_ms = computer_ms + excluded.computer_ms,
       actions = actions + excluded.actions, bytes = bytes + excluded.bytes`,
  );
  const drop = db.prepare(
    `DELETE FROM usage WHERE day NOT IN
       (SELECT DISTINCT day FROM usage ORDER BY day DESC LIMIT ${KEPT_DAYS})`,
  );
  // Those of today may be wanted by amounts that are still to be written.
  const dropNames = db.prepare(
    `DELETE FROM deleted_names WHERE deleted_at < date('now', '-1 day')
       AND id NOT IN (SELECT key_id FROM usage UNION SELECT project_id FROM usage)`,
  );
  const list = db.prepare(
    `SELECT usage.*,
       coalesce(keys.name, key_names.name) AS key_name, keys.id IS NULL AS key_deleted,
       coalesce(projects.name, project_names.name) AS project_name,
       projects.id IS NULL AS project_deleted
     FROM usage
       LEFT JOIN keys ON keys.id = key_id AND keys.owner_id = usage.owner_id
       LEFT JOIN deleted_names AS key_names
         ON key_names.id = key_id AND key_names.owner_id = usage.owner_id
       LEFT JOIN projects ON projects.id = usage.project_id
       LEFT JOIN deleted_names AS project_names
         ON project_names.id = usage.project_id AND project_names.owner_id = usage.owner_id
     WHERE usage.owner_id = :owner AND (:project IS NULL OR usage.project_id = :project)
       AND day IN (SELECT DISTINCT day FROM usage WHERE owner_id = :owner ORDER BY day DESC LIMIT :days)
     ORDER BY day DESC, usage.project_id, key_id LIMIT ${MOST}`,
  );
  return {
    /** Adds amounts in one transaction, and drops old days and the names that only they had. */
    add: (day: string, entries: Iterable<readonly [UsageSubject, UsageAmounts]>) =>
      inTransaction(db, () => {
        for (const [{ owner_id, key_id, project_id }, amounts] of entries) {
          const { computers, computer_ms, actions, bytes } = amounts;
          add.run(day, key_id, project_id, computers, computer_ms, actions, bytes, owner_id);
        }
        if (drop.run().changes > 0) dropNames.run();
      }),
    /** The newest day first. */
    list: (owner: { id: string; projectId?: string | undefined }, days: number) =>
      list.all({ owner: owner.id, project: owner.projectId ?? null, days }) as UsageRow[],
  };
}
