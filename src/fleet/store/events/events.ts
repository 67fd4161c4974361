import { createHash } from 'node:crypto';
import type { Db } from '../database.js';
import { EventLimiter } from './limits.js';

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

const SELECT = `SELECT id, at, type, project_id, project, computer_id, computer, data FROM events
  WHERE owner_id = :owner AND kind = :kind AND id > :after AND id <= :last
    AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))
    AND (:within IS NULL OR project_id = :within)
    AND (:project IS NULL OR :project IN (project_id, project)
      OR (type = 'project.renamed' AND :project = json_extract(data, '$.previous')))
    AND (:computer IS NULL OR :computer IN (computer_id, computer))
  ORDER BY id LIMIT :limit`;

/** The events of all owners. */
export function eventStore(db: Db, serviceId: string) {
  const limiter = new EventLimiter(db);
  const select = db.prepare(SELECT);
  const last = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  const dropped = db.prepare(
    'SELECT max(id) AS id FROM dropped_events WHERE owner_id = :owner AND kind = :kind',
  );
  const droppedOfProject = db.prepare(
    `SELECT max(id) AS id FROM dropped_events
     WHERE owner_id = :owner AND kind = :kind AND project_id IN (:project, :none)`,
  );
  const projectId = db.prepare('SELECT id FROM projects WHERE owner_id = ? AND ? IN (id, name)');
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
        ...{ owner: ownerId, ...range },
        types: types === undefined ? null : JSON.stringify(types),
        ...{ project: project ?? null, computer: computer ?? null, within: within ?? null },
      };
      const pages = kinds.map((kind) => select.all({ ...wanted, kind }) as EventRow[]);
      return pages
        .flat()
        .sort((a, b) => a.id - b.id)
        .slice(0, range.limit);
    },
    /** The last event that was dropped and may have been one of these; 0 if none was. */
    droppedUpTo(
      owner: string,
      { kinds, project, within }: Pick<EventFilter, 'kinds' | 'project' | 'within'>,
    ): number {
      const named =
        project === undefined ? undefined : (projectId.get(owner, project) as { id: string });
      const only = within ?? named?.id;
      const rows = kinds.map((kind) => {
        if (only === undefined) return dropped.get({ owner, kind });
        // An earlier project of the same name may be gone.
        const none = within ?? '';
        return droppedOfProject.get({ owner, kind, project: only, none });
      });
      return Math.max(0, ...rows.map((row) => (row as { id: number | null }).id ?? 0));
    },
    /** Adds what no trigger of the schema does, unless the computer is gone. */
    add: (computerId: string, type: 'job.exited' | 'computer.control', data: object) =>
      insert.run(new Date().toISOString(), type, JSON.stringify(data), computerId),
    /** True for a computer whose deletion is among the events. */
    hasDeleted: (computerId: string) => deleted.get(computerId) !== undefined,
    /**
     * Drops some of the oldest events of owners that have too many, once enough have come. Returns
     * whether there are more.
     */
    tidy: () => limiter.tidy(lastId()),
  };
}
