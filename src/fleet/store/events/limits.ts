import type { Db } from '../database.js';
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

/** Drops the oldest events beyond the limits, and remembers up to which. */
export class EventLimiter {
  readonly #db: Db;
  readonly #limits: EventLimits;
  readonly #active: (after: number) => Ring[];
  /** Ids of the oldest events beyond the `kept` latest. */
  readonly #excess: (ring: Ring, kept: number, most: number) => number[];
  readonly #drop: (ring: Ring, upTo: number) => void;
  readonly #rings: () => (Ring & { readonly rows: number })[];
  #tidiedAt = 0;

  constructor(db: Db, limits = EVENT_LIMITS) {
    this.#db = db;
    this.#limits = limits;
    const active = db.prepare(
      // By their ids: the index of owners would be read as a whole.
      'SELECT DISTINCT owner_id, kind FROM events NOT INDEXED WHERE id > ?',
    );
    const excess = db.prepare(
      `SELECT id FROM events WHERE owner_id = :owner AND kind = :kind AND id <=
         (SELECT id FROM events WHERE owner_id = :owner AND kind = :kind
            ORDER BY id DESC LIMIT 1 OFFSET :kept)
       ORDER BY id LIMIT :most`,
    );
    const remove = db.prepare('DELETE FROM events WHERE owner_id = ? AND kind = ? AND id <= ?');
    const mark = db.prepare('INSERT OR REPLACE INTO dropped_events VALUES (?, ?, ?)');
    const rings = db.prepare(
      'SELECT owner_id, kind, count(*) AS rows FROM events GROUP BY owner_id, kind',
    );
    this.#active = (after) => active.all(after) as Ring[];
    this.#excess = ({ owner_id, kind }, kept, most) =>
      (excess.all({ owner: owner_id, kind, kept, most }) as { id: number }[]).map(({ id }) => id);
    this.#drop = ({ owner_id, kind }, upTo) => {
      remove.run(owner_id, kind, upTo);
      mark.run(owner_id, kind, upTo);
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
        left -= this.#keep(ring, this.#limits.ofOwner, left);
      }
      left -= this.#tidyAll(left);
    });
    if (left <= 0) return true;
    this.#tidiedAt = lastId;
    return false;
  }

  /** Drops at most `most` events beyond the `kept` latest; returns how many. */
  #keep(ring: Ring, kept: number, most: number): number {
    const ids = this.#excess(ring, kept, most);
    const upTo = ids.at(-1);
    if (upTo !== undefined) this.#drop(ring, upTo);
    return ids.length;
  }

  /** The owners with the most events lose the oldest, so that one with few keeps all. */
  #tidyAll(most: number): number {
    const rings = this.#rings();
    let excess = rings.reduce((sum, { rows }) => sum + rows, 0) - this.#limits.inAll;
    let dropped = 0;
    const fair = Math.floor(this.#limits.inAll / rings.length);
    for (const ring of rings.sort((a, b) => b.rows - a.rows)) {
      if (excess <= 0 || dropped >= most) break;
      const kept = Math.max(fair, ring.rows - excess);
      if (kept >= ring.rows) break;
      dropped += this.#keep(ring, kept, most - dropped);
      excess -= ring.rows - kept;
    }
    return dropped;
  }
}
