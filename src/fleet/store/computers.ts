import type { ComputerStatus } from '../../contract/resources.js';
import { type Occasion, TRANSITIONS } from '../lifecycle/lifecycle.js';
import { RowCache } from './cache/row-cache.js';
import type { Db, Statement } from './database.js';
import type { Notifier } from './events/notifier.js';
import { type ComputerRecord, IS_COUNTED } from './records.js';

const SELECT = `SELECT computers.*, projects.name AS project_name
  FROM computers JOIN projects ON projects.id = computers.project_id`;

/** {@link ComputerRecord.network} without a restriction. */
export const INTERNET = JSON.stringify('internet');

export type NewComputer = Omit<
  ComputerRecord,
  | 'project_name'
  | 'status_reason'
  | 'started_at'
  | 'copied_at'
  | 'source'
  | 'env'
  | 'timezone'
  | 'locale'
  | 'sudo'
  | 'machine_size'
  | 'network'
  | 'volumes'
  | 'snapshot'
  | 'reset_to'
  // Those of the key.
  | 'created_by_name'
  | 'created_by_prefix'
> &
  Partial<
    Pick<
      ComputerRecord,
      'source' | 'env' | 'timezone' | 'locale' | 'sudo' | 'machine_size' | 'network' | 'volumes'
    >
  >;

/** The fields that a request can change. */
type Changeable = Pick<
  ComputerRecord,
  | 'id'
  | 'name'
  | 'ram'
  | 'cpu'
  | 'width'
  | 'height'
  | 'machine_size'
  | 'auto_stop_minutes'
  | 'on_idle'
  | 'expires_at'
  | 'labels'
  | 'protected'
  | 'env'
  | 'network'
>;

/** Which computers a list has; what is undefined is not compared. */
export interface ListFilter {
  readonly statuses?: readonly string[] | undefined;
  /** Names of labels, with the values that they have to have; null for any value. */
  readonly labels?: readonly (readonly [name: string, value: string | null])[] | undefined;
  readonly engine?: string | undefined;
  readonly image?: string | undefined;
  /** Id of the only project. */
  readonly project?: string | undefined;
  /** Computers at most; all if not given. */
  readonly limit?: number;
}

export function computerStore(db: Db, written: Notifier) {
  const insert = db.prepare(
    `INSERT INTO computers (id, project_id, owner_id, name, os, ram, cpu, gpu, image, engine, width,
       height, machine_size, auto_stop_minutes, on_idle, expires_at, labels, protected, env, timezone, locale,
       sudo, network, volumes, status, private_key, public_key, created_at, copy_runs, member, member_group, source, created_by,
       created_by_name, created_by_prefix)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
       (SELECT name FROM keys WHERE id = ?), (SELECT prefix FROM keys WHERE id = ?))`,
  );
  const byId = db.prepare(`${SELECT} WHERE computers.id = ?`);
  const byName = db.prepare(`${SELECT} WHERE project_id = ? AND computers.name = ?`);
  // A project's id wins over a name, as in projectStore.
  const idByAddress = db.prepare(
    `SELECT id FROM computers WHERE name = ? AND project_id =
       (SELECT id FROM projects WHERE owner_id = ? AND (name = ? OR id = ?)
          ORDER BY id = ? DESC LIMIT 1)`,
  );
  const ofProject = db.prepare(
    `${SELECT} WHERE project_id = ? ORDER BY computers.created_at, computers.id`,
  );
  const all = db.prepare(SELECT);
  const page = db.prepare(
    `${SELECT} WHERE computers.owner_id = :owner
       AND (computers.created_at, computers.id) > (:created, :id)
       AND (:project IS NULL OR computers.project_id = :project)
       AND (:statuses IS NULL OR computers.status IN (SELECT value FROM json_each(:statuses)))
       AND (:engine IS NULL OR computers.engine = :engine)
       AND (:image IS NULL OR computers.image = :image)
       AND NOT EXISTS (SELECT 1 FROM json_each(:labels) AS wanted WHERE NOT EXISTS (
         SELECT 1 FROM json_each(computers.labels) AS label WHERE label.key = wanted.value ->> 0
           AND label.value = coalesce(wanted.value ->> 1, label.value)))
     ORDER BY computers.created_at, computers.id LIMIT :limit`,
  );
  const running = db.prepare(
    `SELECT count(*) AS count FROM computers WHERE owner_id = ? AND ${IS_COUNTED}`,
  );
  const count = db.prepare('SELECT count(*) AS count FROM computers WHERE owner_id = ?');
  const setStatus = db.prepare(
    `UPDATE computers SET status = ?, status_reason = ?, started_at = coalesce(?, started_at)
       WHERE id = ?`,
  );
  const update = db.prepare(
    `UPDATE computers SET name = ?, ram = ?, cpu = ?, width = ?, height = ?, machine_size = ?,
       auto_stop_minutes = ?, on_idle = ?, expires_at = ?, labels = ?, protected = ?, env = ?, network = ?
     WHERE id = ?`,
  );
  const setNetwork = db.prepare('UPDATE computers SET network = ? WHERE id = ?');
  const complete = db.prepare('UPDATE computers SET copied_at = ? WHERE id = ?');
  const meanToRun = db.prepare('UPDATE computers SET copy_runs = 1 WHERE id = ?');
  const setMachineSize = db.prepare('UPDATE computers SET machine_size = ? WHERE id = ?');
  const setMember = db.prepare('UPDATE computers SET member = ? WHERE id = ?');
  const setSnapshot = db.prepare('UPDATE computers SET snapshot = ? WHERE id = ?');
  const setReset = db.prepare('UPDATE computers SET reset_to = ? WHERE id = ?');
  const setWasReset = db.prepare(
    "UPDATE computers SET snapshot = nullif(reset_to, ''), reset_to = NULL WHERE id = ?",
  );
  const remove = db.prepare('DELETE FROM computers WHERE id = ?');
  const idsOfProject = db.prepare('SELECT id FROM computers WHERE project_id = ?');
  const idsOfKey = db.prepare('SELECT id FROM computers WHERE created_by = ?');

  const rows = new RowCache(
    (id) => byId.get(id) as ComputerRecord | undefined,
    () => all.all() as ComputerRecord[],
  );
  const findById = (id: string) => rows.find(id);
  const write = (statement: Statement, id: string, values: (string | number | null)[] = []) => {
    const ownerId = findById(id)?.owner_id;
    rows.changed(id);
    statement.run([...values, id]);
    if (ownerId !== undefined) written.notify(ownerId);
  };
  const renamed = (idsOf: Statement, id: string) => {
    for (const row of idsOf.all(id) as { id: string }[]) rows.changed(row.id);
  };
  const setCopied = (id: string) => write(complete, id, [new Date().toISOString()]);
  /** The only function that writes a status or removes a row. */
  const change = (id: string, occasion: Occasion, reason: string | null) => {
    const record = findById(id);
    const next = record && TRANSITIONS[record.status][occasion];
    if (record === undefined || next === undefined) return undefined;
    const { status, status_reason } = record;
    if (next === 'gone') write(remove, id);
    else if (next !== status || reason !== status_reason) {
      const begins = next === 'running' && status !== 'running';
      write(setStatus, id, [next, reason, begins ? new Date().toISOString() : null]);
      // A copy that runs is complete, although the step that made it failed.
      if (begins && record.copied_at === null && record.copy_runs === 0) setCopied(id);
    }
    return next;
  };

  return {
    insert(row: NewComputer): void {
      rows.changed(row.id);
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
        row.machine_size ?? null,
        row.auto_stop_minutes,
        row.on_idle,
        row.expires_at,
        row.labels,
        row.protected,
        row.env ?? null,
        row.timezone ?? null,
        row.locale ?? null,
        row.sudo ?? 1,
        row.network ?? INTERNET,
        row.volumes ?? '[]',
        row.status,
        row.private_key,
        row.public_key,
        row.created_at,
        row.copy_runs,
        row.member,
        row.member_group,
        row.source ?? null,
        row.created_by,
        row.created_by,
        row.created_by,
      );
      written.notify(row.owner_id);
    },
    findById,
    findByName: (projectId: string, name: string) =>
      byName.get(projectId, name) as ComputerRecord | undefined,
    /** By the project's name or id, and the computer's name. */
    findByAddress(ownerId: string, project: string, name: string): ComputerRecord | undefined {
      const row = idByAddress.get(name, ownerId, project, project, project);
      return row === undefined ? undefined : findById((row as { id: string }).id);
    },
    listOfProject: (projectId: string) => ofProject.all(projectId) as ComputerRecord[],
    /** Computers of the owner after one, the oldest first. */
    listAfter: (
      ownerId: string,
      { created_at, id }: Pick<ComputerRecord, 'created_at' | 'id'>,
      { statuses, labels, engine, image, project, limit = -1 }: ListFilter,
    ) =>
      page.all({
        owner: ownerId,
        created: created_at,
        id,
        limit,
        project: project ?? null,
        engine: engine ?? null,
        image: image ?? null,
        statuses: statuses === undefined ? null : JSON.stringify(statuses),
        labels: labels === undefined ? null : JSON.stringify(labels),
      }) as ComputerRecord[],
    listAll: () => rows.all(),
    /** Computers of the owner, running or not. */
    count: (ownerId: string) => (count.get(ownerId) as { count: number }).count,
    /** Computers of the owner that count against the limit. */
    countRunning: (ownerId: string) => (running.get(ownerId) as { count: number }).count,
    /**
     * Applies the lifecycle's transition for the occasion, stores it with `reason` and returns the
     * new status. Undefined if there is no such transition or computer.
     */
    change: (id: string, occasion: Occasion, reason: string | null = null) =>
      change(id, occasion, reason) as ComputerStatus | 'gone' | undefined,
    /** Writes the fields that a request can change. */
    update(row: Changeable): void {
      const { id, name, auto_stop_minutes, on_idle, expires_at, labels } = row;
      const changed = [
        name,
        row.ram,
        row.cpu,
        row.width,
        row.height,
        row.machine_size,
        auto_stop_minutes,
        on_idle,
        expires_at,
        labels,
        row.protected,
        row.env,
        row.network,
      ];
      write(update, id, changed);
    },
    /** What it may reach, as JSON. */
    setNetwork: (id: string, network: string) => write(setNetwork, id, [network]),
    /** The copy is complete. */
    setCopied,
    /** Its current snapshot. */
    setSnapshot: (id: string, snapshot: string | null) => write(setSnapshot, id, [snapshot]),
    /** It is to be put back to a saved disk; an empty id stands for its state after its creation. */
    setReset: (id: string, to: string) => write(setReset, id, [to]),
    /** It was put back. */
    setWasReset: (id: string) => write(setWasReset, id),
    /** What its machine has; see {@link ComputerRecord.machine_size}. */
    setMachineSize: (id: string, size: string) => write(setMachineSize, id, [size]),
    /** The member of the cluster that it is on. */
    setMember(id: string, member: string): void {
      if (findById(id)?.member !== member) write(setMember, id, [member]);
    },
    /** A copy that was to be stopped should run, and counts. */
    meanToRun: (id: string) => write(meanToRun, id),
    /** The project has a new name, which its computers have as well. */
    projectRenamed: (id: string) => renamed(idsOfProject, id),
    /** The same for the API key that created computers. */
    keyRenamed: (id: string) => renamed(idsOfKey, id),
    /** Before a transaction; the function is to be called if it was rolled back. */
    beforeTransaction: () => {
      const { changes } = rows;
      return () => {
        // Rows may have been read after a change that was undone.
        if (rows.changes !== changes) rows.clear();
      };
    },
  };
}
