import { actionsOf } from '../../../contract/audit-commands.js';
import type { Db } from '../database.js';
import { inTransaction } from '../transaction.js';

/** Rows of an owner; a row takes about 500 bytes of the disk, indexes included. */
const MOST = 200_000;

export interface AuditRow {
  readonly at: string;
  readonly owner_id: string;
  /** Empty for an operation on no computer. */
  readonly computer_id: string;
  /** Null if it was not looked up, or for an operation on no computer. */
  readonly computer_name: string | null;
  readonly key_id: string;
  readonly action: string;
  /** A JSON object of numbers and short words. */
  readonly detail: string;
  readonly outcome: string;
  readonly ms: number;
}

/** Which rows are listed: those before an id that match all that is given. */
export interface AuditFilter {
  readonly before?: number | undefined;
  readonly limit: number;
  readonly computer?: string | undefined;
  /** A part of the action's name, or of the command that is shown for it, in any case. */
  readonly action?: string | undefined;
  /** Name or id. */
  readonly key?: string | undefined;
  /** `failed` for every code of an error. */
  readonly outcome?: string | undefined;
  /** Only those that began at this time or later. */
  readonly since?: string | undefined;
}

type StoredRow = AuditRow & { readonly id: number; readonly key_name: string | null };

/** The audit log's rows: added, read, and dropped when they are old or too many; never changed. */
export function auditStore(db: Db, most = MOST) {
  // Of a computer that is gone, the project, and the name if it is not given, are those of its last entry.
  const insert = db.prepare(
    `INSERT INTO actions
       (at, owner_id, computer_id, key_id, action, detail, outcome, ms, project_id, computer_name)
     SELECT :at, :owner_id, :computer_id, :key_id, :action, :detail, :outcome, :ms,
       found.project_id, coalesce(:computer_name, found.name)
     FROM (SELECT 1) LEFT JOIN (
       SELECT project_id, name FROM computers WHERE id = :computer_id
       UNION ALL
       SELECT * FROM (SELECT project_id, computer_name FROM actions
         WHERE :computer_id <> '' AND owner_id = :owner_id AND computer_id = :computer_id
         ORDER BY id DESC LIMIT 1)
       LIMIT 1) AS found`,
  );
  // In an owner's log the names of an administrator's keys are left out.
  const select = (condition: string) =>
    db.prepare(
      `SELECT actions.*, coalesce(keys.name, gone.name) AS key_name FROM actions
         LEFT JOIN keys ON keys.id = key_id AND keys.owner_id = actions.owner_id
         LEFT JOIN deleted_names AS gone
           ON gone.id = key_id AND gone.owner_id = actions.owner_id
       WHERE ${condition} AND actions.id < :before
         AND (:action = '' OR instr(lower(action), lower(:action)) > 0
           OR action IN (SELECT value FROM json_each(:actions)))
         AND (:key = '' OR key_id = :key OR coalesce(keys.name, gone.name) = :key)
         AND (:outcome = '' OR outcome = :outcome
           OR (:outcome = 'failed' AND outcome NOT IN ('ok', 'cancelled')))
         AND actions.at >= :since
       ORDER BY actions.id DESC LIMIT :limit`,
    );
  const ofOwner = select('actions.owner_id = :owner');
  const ofComputer = select('actions.owner_id = :owner AND computer_id = :computer');
  // The plus keeps the index of the owner's entries out of the plan.
  const ofProject = select('actions.project_id = :project AND +actions.owner_id = :owner');
  const projectOf = db.prepare(
    `SELECT project_id FROM actions WHERE owner_id = ? AND computer_id = ?
     ORDER BY id DESC LIMIT 1`,
  );
  const uptime = db.prepare('SELECT coalesce(max(uptime_ms), 0) AS ms FROM audit_marks');
  const mark = db.prepare(
    'INSERT OR REPLACE INTO audit_marks SELECT ?, coalesce(max(id), 0) FROM actions',
  );
  const lastOld = db.prepare(
    'SELECT uptime_ms, last_id FROM audit_marks WHERE uptime_ms <= ? ORDER BY uptime_ms DESC LIMIT 1',
  );
  const owners = db.prepare(
    'SELECT owner_id AS id FROM actions GROUP BY owner_id HAVING count(*) > ?',
  );
  const dropMany = db.prepare(
    `DELETE FROM actions WHERE owner_id = :owner AND id <=
       (SELECT id FROM actions WHERE owner_id = :owner ORDER BY id DESC LIMIT 1 OFFSET :most)`,
  );
  const dropRows = db.prepare('DELETE FROM actions WHERE id <= ?');
  const dropMarks = db.prepare('DELETE FROM audit_marks WHERE uptime_ms < ?');

  return {
    /** Adds rows in one transaction. */
    append: (rows: readonly AuditRow[]) =>
      inTransaction(db, () => {
        for (const row of rows) insert.run(row);
      }),
    /**
     * Rows of an owner, of one project of the owner, or of one computer of these, which may have been
     * deleted.
     */
    listOfOwner(
      { id: owner, projectId }: { readonly id: string; readonly projectId?: string | undefined },
      { computer, before = Number.MAX_SAFE_INTEGER, limit, ...filter }: AuditFilter,
    ): StoredRow[] {
      const { action = '', key = '', outcome = '' } = filter;
      // In the form of `at`, since texts are compared.
      const since = filter.since === undefined ? '' : new Date(filter.since).toISOString();
      const actions = JSON.stringify(action === '' ? [] : actionsOf(action));
      const bound = { owner, before, limit, action, actions, key, outcome, since };
      if (computer !== undefined) {
        const last = projectOf.get(owner, computer) as { project_id: string | null } | undefined;
        if (projectId !== undefined && last?.project_id !== projectId) return [];
        return ofComputer.all({ ...bound, computer }) as StoredRow[];
      }
      if (projectId === undefined) return ofOwner.all(bound) as StoredRow[];
      return ofProject.all({ ...bound, project: projectId }) as StoredRow[];
    },
    /**
     * Adds to the service's running time what has passed since the last call, drops rows that have
     * been there for `keptMs` of it, and an owner's oldest rows beyond the limit.
     */
    dropOld: (elapsedMs: number, keptMs: number): void =>
      inTransaction(db, () => {
        const now = (uptime.get() as { ms: number }).ms + elapsedMs;
        mark.run(now);
        const old = lastOld.get(now - keptMs) as { uptime_ms: number; last_id: number } | undefined;
        if (old !== undefined) {
          dropRows.run(old.last_id);
          dropMarks.run(old.uptime_ms);
        }
        for (const { id } of owners.all(most) as { id: string }[])
          dropMany.run({ owner: id, most });
      }),
  };
}
