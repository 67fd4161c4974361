import type { Db } from '../database.js';

/** Most rows of the audit log. A row takes about 400 bytes of the disk, indexes included. */
export interface AuditLimits {
  readonly ofOwner: number;
  readonly inAll: number;
}

export const AUDIT_LIMITS: AuditLimits = { ofOwner: 200_000, inAll: 1_000_000 };

/** Counts the rows of each owner and drops the oldest ones beyond the limits. */
export class AuditRowLimiter {
  readonly #limits: AuditLimits;
  readonly #count: () => { owner_id: string; rows: number }[];
  readonly #drop: (ownerId: string, rows: number) => unknown;
  /** Counted by the database; undefined when that has to be done again. */
  #rows: Map<string, number> | undefined;

  constructor(db: Db, limits: AuditLimits) {
    this.#limits = limits;
    const count = db.prepare('SELECT owner_id, count(*) AS rows FROM actions GROUP BY owner_id');
    const drop = db.prepare(
      `DELETE FROM actions WHERE id IN
         (SELECT id FROM actions WHERE owner_id = ? ORDER BY id LIMIT ?)`,
    );
    this.#count = () => count.all() as { owner_id: string; rows: number }[];
    this.#drop = (ownerId, rows) => drop.run(ownerId, rows);
    this.#rows = this.#countRows();
  }

  /** Forgets the counts: rows were dropped, or a transaction was rolled back. */
  reset(): void {
    this.#rows = undefined;
  }

  /**
   * Drops rows beyond the limits, after rows of these owners were added. Beyond the limit in all,
   * the owner with the most rows loses its oldest ones, so a flood of one owner drops its own.
   */
  added(ownerIds: readonly string[]): void {
    const rows = this.#counted(ownerIds);
    for (const id of new Set(ownerIds)) {
      this.#dropOldest(rows, id, (rows.get(id) ?? 0) - this.#limits.ofOwner);
    }
    let total = 0;
    for (const count of rows.values()) total += count;
    while (total > this.#limits.inAll) {
      const [largest, next] = [...rows].sort((a, b) => b[1] - a[1]);
      if (largest === undefined) return;
      const [id, count] = largest;
      // Down to the next largest at once, and one more when they have the same.
      const lead = count - (next?.[1] ?? 0) + 1;
      const excess = Math.min(total - this.#limits.inAll, lead);
      this.#dropOldest(rows, id, excess);
      total -= excess;
    }
  }

  /** The counts after the addition: the database has counted the new rows already. */
  #counted(ownerIds: readonly string[]): Map<string, number> {
    const rows = this.#rows;
    if (rows === undefined) {
      this.#rows = this.#countRows();
      return this.#rows;
    }
    for (const id of ownerIds) rows.set(id, (rows.get(id) ?? 0) + 1);
    return rows;
  }

  #countRows(): Map<string, number> {
    return new Map(this.#count().map(({ owner_id: id, rows }) => [id, rows]));
  }

  #dropOldest(rows: Map<string, number>, ownerId: string, excess: number): void {
    if (excess <= 0) return;
    this.#drop(ownerId, excess);
    rows.set(ownerId, (rows.get(ownerId) ?? 0) - excess);
  }
}
