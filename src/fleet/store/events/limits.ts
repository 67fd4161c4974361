import type { Db } from '../database.js';
import { divideExcess } from '../limits/excess.js';
import { inTransaction } from '../transaction.js';

export interface EventLimits {
  /** Events of one kind of one owner. */
  readonly ofOwner: number;
  readonly inAll: number;
  /** New events after which the limits are applied. */
  readonly every: number;
}

/** An event takes about 400 bytes of the disk, indexes included. */
export const EVENT_LIMITS: EventLimits = { ofOwner: 5_000, inAll: 200_000, every: 500 };

interface Ring {
  readonly owner_id: string;
  readonly kind: string;
}

/** Events that are dropped at once, while all else of the service waits. */
const MOST_DROPPED = 1_000;
/** Events that are read at once to find those. */
const PAGE = 500;

/**
 * Drops the oldest events beyond the limits, and remembers up to which: those of the owner with the
 * most, and of its projects those of the one with the most.
 */
export class EventLimiter {
  readonly #db: Db;
  readonly #limits: EventLimits;
  readonly #active: (after: number) => Ring[];
  readonly #count: (ring: Ring) => number;
  readonly #projects: (ring: Ring) => { readonly project: string; readonly rows: number }[];
  readonly #drop: (ring: Ring, losses: Map<string, number>) => void;
  readonly #rings: () => (Ring & { readonly rows: number })[];
  #tidiedAt = 0;

  constructor(db: Db, limits = EVENT_LIMITS) {
    this.#db = db;
    this.#limits = limits;
    const active = db.prepare(
      // By their ids: the index of owners would be read as a whole.
      'SELECT DISTINCT owner_id, kind FROM events NOT INDEXED WHERE id > ?',
    );
    const count = db.prepare('SELECT count(*) AS rows FROM events WHERE owner_id = ? AND kind = ?');
    const projects = db.prepare(
      `SELECT coalesce(project_id, '') AS project, count(*) AS rows FROM events
       WHERE owner_id = ? AND kind = ? GROUP BY 1`,
    );
    const page = db.prepare(
      `SELECT id, coalesce(project_id, '') AS project FROM events
       WHERE owner_id = ? AND kind = ? AND id > ? ORDER BY id LIMIT ${PAGE}`,
    );
    const remove = db.prepare('DELETE FROM events WHERE id IN (SELECT value FROM json_each(?))');
    const upsert =
      'ON CONFLICT (owner_id, kind, project_id) DO UPDATE SET id = max(id, excluded.id)';
    const mark = db.prepare(`INSERT INTO dropped_events VALUES (?, ?, ?, ?) ${upsert}`);
    const ofDeleted = `owner_id = :owner AND kind = :kind
      AND project_id NOT IN (SELECT id FROM projects WHERE owner_id = :owner)`;
    const join = db.prepare(
      `INSERT INTO dropped_events SELECT owner_id, kind, '', max(id) FROM dropped_events
       WHERE ${ofDeleted} GROUP BY owner_id, kind ${upsert}`,
    );
    const forget = db.prepare(`DELETE FROM dropped_events WHERE ${ofDeleted} AND project_id <> ''`);
    const rings = db.prepare(
      'SELECT owner_id, kind, count(*) AS rows FROM events GROUP BY owner_id, kind',
    );
    this.#active = (after) => active.all(after) as Ring[];
    this.#count = ({ owner_id, kind }) => (count.get(owner_id, kind) as { rows: number }).rows;
    this.#projects = ({ owner_id, kind }) =>
      projects.all(owner_id, kind) as { project: string; rows: number }[];
    this.#drop = ({ owner_id, kind }, losses) => {
      const ids: number[] = [];
      const marks = new Map<string, number>();
      for (let after: number | undefined = 0; after !== undefined && losses.size > 0; ) {
        const rows = page.all(owner_id, kind, after) as { id: number; project: string }[];
        for (const { id, project } of rows) {
          const left = losses.get(project);
          if (left === undefined) continue;
          ids.push(id);
          marks.set(project, id);
          if (left > 1) losses.set(project, left - 1);
          else losses.delete(project);
        }
        after = rows.at(-1)?.id;
      }
      remove.run(JSON.stringify(ids));
      for (const [project, id] of marks) mark.run(owner_id, kind, project, id);
      join.run({ owner: owner_id, kind });
      forget.run({ owner: owner_id, kind });
    };
    this.#rings = () => rings.all() as (Ring & { rows: number })[];
  }

  /**
   * Applies the limits when enough events have come since the last time. Returns whether there is
   * more to drop: then it is to be called again.
   */
  tidy(lastId: number): boolean {
    if (lastId - this.#tidiedAt < this.#limits.every) return false;
    let left = MOST_DROPPED;
    inTransaction(this.#db, () => {
      for (const ring of this.#active(this.#tidiedAt)) {
        const excess = this.#count(ring) - this.#limits.ofOwner;
        left -= this.#dropOldest(ring, Math.min(excess, left));
      }
      left -= this.#tidyAll(left);
    });
    if (left <= 0) return true;
    this.#tidiedAt = lastId;
    return false;
  }

  /** Drops so many of the oldest events; returns how many. */
  #dropOldest(ring: Ring, excess: number): number {
    if (excess <= 0) return 0;
    const projects = this.#projects(ring).map(({ project, rows }) => [project, rows] as const);
    this.#drop(ring, divideExcess(projects, excess));
    return excess;
  }

  /** The owners with the most events lose the oldest, so that one with few keeps all. */
  #tidyAll(most: number): number {
    const rings = this.#rings();
    let excess = rings.reduce((sum, { rows }) => sum + rows, 0) - this.#limits.inAll;
    let left = most;
    const fair = Math.floor(this.#limits.inAll / rings.length);
    for (const ring of rings.sort((a, b) => b.rows - a.rows)) {
      if (excess <= 0 || left <= 0) break;
      const kept = Math.max(fair, ring.rows - excess);
      if (kept >= ring.rows) break;
      left -= this.#dropOldest(ring, Math.min(ring.rows - kept, left));
      excess -= ring.rows - kept;
    }
    return most - left;
  }
}
