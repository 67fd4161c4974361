import { createHash } from 'node:crypto';
import type { Db } from '../database.js';
import { inTransaction } from '../transaction.js';

/** `change` for everything but actions, of which an owner may cause many. */
export type EventKind = 'change' | 'action';

/** A row of `events`; triggers of the schema write them. */
export interface EventRow {
  /** Ascending over all owners. */
  readonly id: number;
  readonly at: string;
  readonly type: string;
  readonly project_id: string | null;
  readonly project: string | null;
  readonly computer_id: string | null;
  readonly computer: string | null;
  /** A JSON object with the fields of its type. */
  readonly data: string;
}

/** Which events of an owner; what is left out matches all. */
export interface EventFilter {
  readonly kinds: readonly EventKind[];
  readonly types: readonly string[] | undefined;
  /** Name or id. */
  readonly project: string | undefined;
  /** Name or id. */
  readonly computer: string | undefined;
  /** Id of the only project that the subscriber may see; undefined for all. */
  readonly within: string | undefined;
}

/** Events of one kind of one owner; one takes about 400 bytes of the disk, indexes included. */
const MOST = 5_000;
/** New events after which the limit is applied. */
const TIDY_EVERY = 500;

const SELECT = `SELECT id, at, type, project_id, project, computer_id, computer, data FROM events
  WHERE owner_id = :owner AND kind = :kind AND id > :after AND id <= :last
    AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))
    AND (:within IS NULL OR project_id = :within)
    AND (:project IS NULL OR :project IN (project_id, project)
      OR (type = 'project.renamed' AND :project = json_extract(data, '$.previous')))
    AND (:computer IS NULL OR :computer IN (computer_id, computer))
  ORDER BY id LIMIT :limit`;

/** The events of all owners. */
export function eventStore(db: Db, serviceId: string, most = MOST) {
  const select = db.prepare(SELECT);
  const last = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  const dropped = db.prepare('SELECT id FROM dropped_events WHERE owner_id = ? AND kind = ?');
  // By their ids: the index of owners would be read as a whole.
  const active = db.prepare('SELECT DISTINCT owner_id, kind FROM events NOT INDEXED WHERE id > ?');
  const lastBeyond = db.prepare(
    'SELECT id FROM events WHERE owner_id = ? AND kind = ? ORDER BY id DESC LIMIT 1 OFFSET ?',
  );
  const remove = db.prepare('DELETE FROM events WHERE owner_id = ? AND kind = ? AND id <= ?');
  const mark = db.prepare('INSERT OR REPLACE INTO dropped_events VALUES (?, ?, ?)');
  const insert = db.prepare(
    `INSERT INTO events (at, owner_id, kind, type, project_id, project, computer_id, computer, data)
     SELECT ?, computers.owner_id, 'change', ?, project_id, projects.name, computers.id,
       computers.name, ? FROM computers JOIN projects ON projects.id = project_id
     WHERE computers.id = ?`,
  );
  const { restored_at } = db.prepare('SELECT restored_at FROM service').get() as {
    restored_at: string | null;
  };
  const deleted = db.prepare(
    "SELECT 1 FROM events WHERE computer_id = ? AND type = 'computer.deleted'",
  );
  let tidiedAt = 0;
  const lastId = () => (last.get() as { seq: number } | undefined)?.seq ?? 0;
  return {
    /** Changes when the state is restored from a backup, after which ids may be used again. */
    epoch: createHash('sha256')
      .update(`${serviceId} ${restored_at ?? ''}`)
      .digest('hex')
      .slice(0, 8),
    /** The id of the latest event of all owners, dropped ones included; 0 before the first. */
    lastId,
    /** The owner's events after `after` up to `last`, the oldest first. */
    list: (
      ownerId: string,
      { kinds, types, project, computer, within }: EventFilter,
      range: { readonly after: number; readonly last: number; readonly limit: number },
    ): EventRow[] => {
      const wanted = {
        owner: ownerId,
        ...range,
        types: types === undefined ? null : JSON.stringify(types),
        project: project ?? null,
        computer: computer ?? null,
        within: within ?? null,
      };
      const pages = kinds.map((kind) => select.all({ ...wanted, kind }) as EventRow[]);
      return pages
        .flat()
        .sort((a, b) => a.id - b.id)
        .slice(0, range.limit);
    },
    /** The last event of these kinds that was dropped; 0 if none was. */
    droppedUpTo: (owner: string, kinds: readonly EventKind[]): number =>
      Math.max(
        0,
        ...kinds.map((kind) => (dropped.get(owner, kind) as { id: number } | undefined)?.id ?? 0),
      ),
    /** Adds what no trigger of the schema does, unless the computer is gone. */
    add: (computerId: string, type: 'job.exited' | 'computer.control', data: object) =>
      insert.run(new Date().toISOString(), type, JSON.stringify(data), computerId),
    /** True for a computer whose deletion is among the events. */
    hasDeleted: (computerId: string) => deleted.get(computerId) !== undefined,
    /** Drops the oldest events of owners that have too many, once enough have come. */
    tidy(): void {
      const newest = lastId();
      if (newest - tidiedAt < TIDY_EVERY) return;
      inTransaction(db, () => {
        for (const { owner_id, kind } of active.all(tidiedAt) as {
          owner_id: string;
          kind: string;
        }[]) {
          const oldest = lastBeyond.get(owner_id, kind, most) as { id: number } | undefined;
          if (oldest === undefined) continue;
          remove.run(owner_id, kind, oldest.id);
          mark.run(owner_id, kind, oldest.id);
        }
      });
      tidiedAt = newest;
    },
  };
}
