import type { ComputerStatus } from '../../contract/resources.js';
import { type Occasion, TRANSITIONS } from '../lifecycle.js';
import type { Db } from './database.js';
import { type ComputerRecord, OCCUPYING } from './records.js';

const SELECT = `SELECT computers.*, projects.name AS project_name
  FROM computers JOIN projects ON projects.id = computers.project_id`;
const occupying = OCCUPYING.map((status) => `'${status}'`).join(', ');

export type NewComputer = Omit<
  ComputerRecord,
  'project_name' | 'status_reason' | 'started_at' | 'copied_at'
>;

export function computerStore(db: Db) {
  const insert = db.prepare(
    `INSERT INTO computers (id, project_id, owner_id, name, os, ram, cpu, gpu, image, engine, width,
       height, auto_stop_minutes, protected, status, private_key, public_key, created_at, copy_of,
       copy_runs)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const byId = db.prepare(`${SELECT} WHERE computers.id = ?`);
  const byName = db.prepare(`${SELECT} WHERE project_id = ? AND computers.name = ?`);
  const ofProject = db.prepare(
    `${SELECT} WHERE project_id = ? ORDER BY computers.created_at, computers.id`,
  );
  const all = db.prepare(SELECT);
  // The copy of a stopped computer never runs while it is made.
  const running = db.prepare(
    `SELECT count(*) AS count FROM computers WHERE owner_id = ? AND status IN (${occupying})
       AND NOT (copy_of IS NOT NULL AND copy_runs = 0)`,
  );
  const setStatus = db.prepare(
    `UPDATE computers SET status = ?, status_reason = ?, started_at = coalesce(?, started_at)
       WHERE id = ?`,
  );
  const update = db.prepare(
    'UPDATE computers SET name = ?, auto_stop_minutes = ?, protected = ? WHERE id = ?',
  );
  const setCopied = db.prepare('UPDATE computers SET copy_of = NULL, copied_at = ? WHERE id = ?');
  const meanToRun = db.prepare('UPDATE computers SET copy_runs = 1 WHERE id = ?');
  const remove = db.prepare('DELETE FROM computers WHERE id = ?');

  const findById = (id: string) => byId.get(id) as ComputerRecord | undefined;
  /** The only thing that writes a status, or takes a row away. */
  const change = (id: string, occasion: Occasion, reason: string | null) => {
    const record = findById(id);
    const next = record && TRANSITIONS[record.status][occasion];
    if (record === undefined || next === undefined) return undefined;
    const { status, status_reason } = record;
    if (next === 'gone') remove.run(id);
    else if (next !== status || reason !== status_reason) {
      const begins = next === 'running' && status !== 'running';
      setStatus.run(next, reason, begins ? new Date().toISOString() : null, id);
    }
    return next;
  };

  return {
    insert(row: NewComputer): void {
      insert.run(
        row.id,
        row.project_id,
        row.owner_id,
        row.name,
        row.os,
        row.ram,
        row.cpu,
        row.gpu,
        row.image,
        row.engine,
        row.width,
        row.height,
        row.auto_stop_minutes,
        row.protected,
        row.status,
        row.private_key,
        row.public_key,
        row.created_at,
        row.copy_of,
        row.copy_runs,
      );
    },
    findById,
    findByName: (projectId: string, name: string) =>
      byName.get(projectId, name) as ComputerRecord | undefined,
    listOfProject: (projectId: string) => ofProject.all(projectId) as ComputerRecord[],
    listAll: () => all.all() as ComputerRecord[],
    /** Computers of the owner that count against the limit. */
    countRunning: (ownerId: string) => (running.get(ownerId) as { count: number }).count,
    /**
     * What the lifecycle makes of the computer on that occasion, written with `reason`; undefined,
     * and nothing is written, where it knows no such transition or there is no such computer.
     */
    change: (id: string, occasion: Occasion, reason: string | null = null) =>
      change(id, occasion, reason) as ComputerStatus | 'gone' | undefined,
    /** Writes what can be changed of a computer. */
    update(row: Pick<ComputerRecord, 'id' | 'name' | 'auto_stop_minutes' | 'protected'>): void {
      update.run(row.name, row.auto_stop_minutes, row.protected, row.id);
    },
    /** Its machine is a whole copy. */
    setCopied: (id: string) => setCopied.run(new Date().toISOString(), id),
    /** A copy that was to be stopped was asked to start. */
    meanToRun: (id: string) => meanToRun.run(id),
  };
}

export type ComputerStore = ReturnType<typeof computerStore>;
