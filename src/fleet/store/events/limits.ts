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

/** Drops the oldest events beyond the limits, and remembers up to which. */
export class EventLimiter {
  readonly #db: Db;
  readonly #limits: EventLimits;
  readonly #active: (after: number) => Ring[];
  readonly #excess: (ring: Ring, kept: number) => number | undefined;
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
      'SELECT id FROM events WHERE owner_id = ? AND kind = ? ORDER BY id DESC LIMIT 1 OFFSET ?',
    );
    const remove = db.prepare('DELETE FROM events WHERE owner_id = ? AND kind = ? AND id <= ?');
    const mark = db.prepare('INSERT OR REPLACE INTO dropped_events VALUES (?, ?, ?)');
    const rings = db.prepare(
      'SELECT owner_id, kind, count(*) AS rows FROM events GROUP BY owner_id, kind',
    );
    this.#active = (after) => active.all(after) as Ring[];
    this.#excess = ({ owner_id, kind }, kept) =>
      (excess.get(owner_id, kind, kept) as { id: number } | undefined)?.id;
    this.#drop = ({ owner_id, kind }, upTo) => {
      remove.run(owner_id, kind, upTo);
      mark.run(owner_id, kind, upTo);
    };
    this.#rings = () => rings.all() as (Ring & { rows: number })[];
  }

  /** Applies the limits when enough events have come since the last time. */
  tidy(lastId: number): void {
    if (lastId - this.#tidiedAt < this.#limits.every) return;
    inTransaction(this.#db, () => {
      for (const ring of this.#active(this.#tidiedAt)) this.#keep(ring, this.#limits.ofOwner);
      this.#tidyAll();
    });
    this.#tidiedAt = lastId;
  }

  #keep(ring: Ring, kept: number): void {
    const upTo = this.#excess(ring, kept);
    if (upTo !== undefined) this.#drop(ring, upTo);
  }

  /** The owners with the most events lose the oldest, so that one with few keeps all. */
  #tidyAll(): void {
    const rings = this.#rings();
    let total = rings.reduce((sum, { rows }) => sum + rows, 0);
    if (total <= this.#limits.inAll) return;
    const fair = Math.floor(this.#limits.inAll / rings.length);
    for (const ring of rings.sort((a, b) => b.rows - a.rows)) {
      if (total <= this.#limits.inAll) return;
      const kept = Math.max(fair, ring.rows - (total - this.#limits.inAll));
      if (kept >= ring.rows) return;
      this.#keep(ring, kept);
      total -= ring.rows - kept;
    }
  }
}
