import type { CreateRun, Run, UpdateRunTask } from '../../contract/resources/runs.js';
import type { Db } from './database.js';
import { inTransaction } from './transaction.js';

/** Tasks of all runs of an owner; with the most bytes of a picture this bounds what they take. */
const MOST_TASKS = 2_000;

interface TaskRow extends Omit<Run['tasks'][number], 'has_picture'> {
  readonly run_id: string;
  readonly has_picture: number;
}

/** Runs of `vc run`, for the web page. */
export function runStore(db: Db) {
  const insert = db.prepare(
    'INSERT INTO runs (id, owner_id, name, created_at) VALUES (:id, :owner_id, :name, :now)',
  );
  const insertTask = db.prepare(
    `INSERT INTO run_tasks (run_id, position, name, status) VALUES (?, ?, ?, 'waiting')`,
  );
  const list = db.prepare(
    'SELECT id, name, created_at FROM runs WHERE owner_id = ? ORDER BY created_at DESC, id',
  );
  const tasks = db.prepare(
    `SELECT run_id, run_tasks.name, run_tasks.status, message, seconds, computers.id AS computer_id,
         picture IS NOT NULL AS has_picture
       FROM runs JOIN run_tasks ON run_id = runs.id
         LEFT JOIN computers ON computers.id = run_tasks.computer_id
           AND computers.owner_id = runs.owner_id
       WHERE runs.owner_id = ? ORDER BY position`,
  );
  const dropOld = db.prepare(
    `DELETE FROM runs WHERE id IN (SELECT id FROM (
       SELECT runs.id, sum(count(*)) OVER (ORDER BY created_at DESC, runs.id) AS total
         FROM runs JOIN run_tasks ON run_id = runs.id WHERE owner_id = ? GROUP BY runs.id)
       WHERE total > ${MOST_TASKS})`,
  );
  const update = db.prepare(
    `UPDATE run_tasks SET status = :status, message = :message, seconds = :seconds,
         computer_id = :computer_id, picture = coalesce(:picture, picture)
       WHERE name = :task AND run_id = (SELECT id FROM runs WHERE id = :run AND owner_id = :owner_id)`,
  );
  const picture = db.prepare(
    `SELECT picture FROM run_tasks JOIN runs ON runs.id = run_id
       WHERE runs.id = ? AND owner_id = ? AND run_tasks.name = ?`,
  );
  return {
    /** Writes a run whose tasks wait, and drops the oldest ones beyond the limit. */
    create: (ownerId: string, id: string, { name, tasks: names }: CreateRun): Run => {
      const now = new Date().toISOString();
      inTransaction(db, () => {
        insert.run({ id, owner_id: ownerId, name, now });
        for (const [position, task] of names.entries()) insertTask.run(id, position, task);
        dropOld.run(ownerId);
      });
      const waiting = { message: '', seconds: null, computer_id: null, has_picture: false };
      const all = names.map((task) => ({ name: task, status: 'waiting' as const, ...waiting }));
      return { id, name, created_at: now, tasks: all };
    },
    /** Newest first. Computers that were deleted are left out. */
    list: (ownerId: string): Run[] => {
      const runs = (list.all(ownerId) as Omit<Run, 'tasks'>[]).map((run) => ({
        ...run,
        tasks: [] as Run['tasks'],
      }));
      const byId = new Map(runs.map((run) => [run.id, run]));
      for (const { run_id, has_picture, ...task } of tasks.all(ownerId) as TaskRow[]) {
        byId.get(run_id)?.tasks.push({ ...task, has_picture: has_picture === 1 });
      }
      return runs;
    },
    /** Whether there is such a task. */
    update: (
      { ownerId, run, task }: { ownerId: string; run: string; task: string },
      { picture: base64, ...state }: UpdateRunTask,
    ): boolean => {
      const bytes = base64 === undefined ? null : Buffer.from(base64, 'base64');
      return update.run({ ...state, picture: bytes, owner_id: ownerId, run, task }).changes === 1;
    },
    picture: (ownerId: string, run: string, task: string): Buffer | undefined => {
      const row = picture.get(run, ownerId, task) as { picture: Uint8Array | null } | undefined;
      return row?.picture ? Buffer.from(row.picture) : undefined;
    },
  };
}
