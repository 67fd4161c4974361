import type { Db } from './database.js';
import { inTransaction } from './transaction.js';

/** Days with an entry that are kept. Counted, because the wall clock may jump. */
const KEPT_DAYS = 90;
/** Rows of an owner and day; what further subjects use is added up in one row more. */
const MOST_OF_DAY = 1_000;
/** Stands for the keys and projects that have no row of their own on a day. No id has this form. */
export const OTHERS = 'others';
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
  const has = db.prepare(
    'SELECT 1 FROM usage WHERE owner_id = ? AND day = ? AND key_id = ? AND project_id = ?',
  );
  const count = db.prepare('SELECT count(*) AS count FROM usage WHERE owner_id = ? AND day = ?');
  const drop = db.prepare(
    `DELETE FROM usage WHERE day <
       (SELECT DISTINCT day FROM usage ORDER BY day DESC LIMIT 1 OFFSET ${KEPT_DAYS - 1})`,
  );
  // Those of today may be wanted by amounts that are still to be written.
  const dropNames = db.prepare(
    `DELETE FROM deleted_names WHERE deleted_at < date('now', '-1 day')
       AND id NOT IN (SELECT key_id FROM usage UNION SELECT project_id FROM usage)`,
  );
  // The newest rows are found by the primary key, and only they are joined and sorted.
  const list = db.prepare(
    `WITH newest AS MATERIALIZED (
       SELECT * FROM usage
       WHERE owner_id = :owner AND (:project IS NULL OR project_id = :project)
         AND day >= (SELECT min(day) FROM
           (SELECT DISTINCT day FROM usage WHERE owner_id = :owner ORDER BY day DESC LIMIT :days))
       ORDER BY owner_id DESC, day DESC, key_id DESC, project_id DESC LIMIT ${MOST}
     )
     SELECT newest.*,
       coalesce(keys.name, key_names.name) AS key_name, keys.id IS NULL AS key_deleted,
       coalesce(projects.name, project_names.name) AS project_name,
       projects.id IS NULL AS project_deleted
     FROM newest
       LEFT JOIN keys ON keys.id = key_id AND keys.owner_id = newest.owner_id
       LEFT JOIN deleted_names AS key_names
         ON key_names.id = key_id AND key_names.owner_id = newest.owner_id
       LEFT JOIN projects ON projects.id = newest.project_id
       LEFT JOIN deleted_names AS project_names
         ON project_names.id = newest.project_id AND project_names.owner_id = newest.owner_id
     ORDER BY day DESC, newest.project_id, key_id`,
  );
  /** The day on which old days were dropped last. */
  let tidiedOn: string | undefined;

  /** Gives the subject that has or gets a row on the day: the given one, or the others. */
  function rowsOf(day: string): (subject: UsageSubject) => UsageSubject {
    const counts = new Map<string, number>();
    return (subject) => {
      const { owner_id, key_id, project_id } = subject;
      if (has.get(owner_id, day, key_id, project_id) !== undefined) return subject;
      const rows = counts.get(owner_id) ?? (count.get(owner_id, day) as { count: number }).count;
      counts.set(owner_id, rows + 1);
      return rows < MOST_OF_DAY ? subject : { owner_id, key_id: OTHERS, project_id: '' };
    };
  }

  return {
    /**
     * Adds amounts in one transaction. On a new day also drops old days, and the names that no day has.
     */
    add(day: string, entries: Iterable<readonly [UsageSubject, UsageAmounts]>): void {
      inTransaction(db, () => {
        const rowOf = rowsOf(day);
        for (const [subject, amounts] of entries) {
          const { owner_id, key_id, project_id } = rowOf(subject);
          const { computers, computer_ms, actions, bytes } = amounts;
          add.run(day, key_id, project_id, computers, computer_ms, actions, bytes, owner_id);
        }
        if (day === tidiedOn) return;
        drop.run();
        dropNames.run();
      });
      tidiedOn = day;
    },
    /** The newest day first. */
    list: (owner: { id: string; projectId?: string | undefined }, days: number) =>
      list.all({ owner: owner.id, project: owner.projectId ?? null, days }) as UsageRow[],
  };
}
