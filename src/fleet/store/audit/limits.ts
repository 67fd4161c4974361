import type { Db } from '../database.js';
import { divideExcess } from '../limits/excess.js';

/** Most rows of the audit log. A row takes about 500 bytes of the disk, indexes included. */
export interface AuditLimits {
  readonly ofOwner: number;
  readonly inAll: number;
  /** Rows that are dropped in addition, so that not every new row drops one. */
  readonly block: number;
}

export const AUDIT_LIMITS: AuditLimits = { ofOwner: 200_000, inAll: 1_000_000, block: 500 };

/** Rows that are dropped at once, while all else of the service waits; the others with later rows. */
const MOST_DROPPED = 1_000;

/** Whose a row is. */
export interface RowHolder {
  readonly owner_id: string;
  /** The API key to which it is attributed. */
  readonly holder: string;
}

/** Rows of an owner, in all and by holder. */
interface Counts {
  total: number;
  readonly holders: Map<string, number>;
}

/** Counts the rows of each owner and holder, and drops the oldest ones beyond the limits. */
export class AuditRowLimiter {
  readonly #limits: AuditLimits;
  readonly #count: () => (RowHolder & { rows: number })[];
  readonly #drop: (ownerId: string, holder: string, rows: number) => unknown;
  /** Counted by the database; undefined when that has to be done again. */
  #owners: Map<string, Counts> | undefined;

  constructor(db: Db, limits: AuditLimits) {
    this.#limits = limits;
    const count = db.prepare(
      'SELECT owner_id, holder, count(*) AS rows FROM actions GROUP BY owner_id, holder',
    );
    const drop = db.prepare(
      `DELETE FROM actions WHERE id IN
         (SELECT id FROM actions WHERE owner_id = ? AND holder = ? ORDER BY id LIMIT ?)`,
    );
    this.#count = () => count.all() as (RowHolder & { rows: number })[];
    this.#drop = (ownerId, holder, rows) => drop.run(ownerId, holder, rows);
    this.#owners = this.#countRows();
  }

  /** Forgets the counts: rows were dropped, or a transaction was rolled back. */
  reset(): void {
    this.#owners = undefined;
  }

  /**
   * Drops rows beyond the limits, after these rows were added. The owners with the most rows lose
   * some, and of these owners the holders with the most, the oldest first: a flood drops its
   * own rows.
   */
  added(rows: readonly RowHolder[]): void {
    const owners = this.#counted(rows);
    const { ofOwner, inAll, block } = this.#limits;
    let left = MOST_DROPPED;
    for (const id of new Set(rows.map(({ owner_id }) => owner_id))) {
      const excess = (owners.get(id)?.total ?? 0) - ofOwner;
      if (excess <= 0) continue;
      const dropped = Math.min(excess + block, left);
      this.#dropOldest(owners, id, dropped);
      left -= dropped;
    }
    let total = 0;
    for (const counts of owners.values()) total += counts.total;
    if (total <= inAll) return;
    const totals = [...owners].map(([id, counts]) => [id, counts.total] as const);
    for (const [id, excess] of divideExcess(totals, Math.min(total - inAll + block, left))) {
      this.#dropOldest(owners, id, excess);
    }
  }

  /** These rows were dropped, being old. */
  removed(rows: readonly RowHolder[]): void {
    if (this.#owners === undefined) return;
    for (const { owner_id, holder } of rows) count(this.#owners, owner_id, holder, -1);
  }

  /** The counts after the addition: the database has counted the new rows already. */
  #counted(rows: readonly RowHolder[]): Map<string, Counts> {
    if (this.#owners === undefined) {
      this.#owners = this.#countRows();
      return this.#owners;
    }
    for (const { owner_id, holder } of rows) count(this.#owners, owner_id, holder, 1);
    return this.#owners;
  }

  #countRows(): Map<string, Counts> {
    const owners = new Map<string, Counts>();
    for (const { owner_id, holder, rows } of this.#count()) count(owners, owner_id, holder, rows);
    return owners;
  }

  #dropOldest(owners: Map<string, Counts>, ownerId: string, excess: number): void {
    const holders = owners.get(ownerId)?.holders ?? [];
    for (const [holder, rows] of divideExcess(holders, excess)) {
      this.#drop(ownerId, holder, rows);
      count(owners, ownerId, holder, -rows);
    }
  }
}

function count(owners: Map<string, Counts>, ownerId: string, holder: string, rows: number): void {
  const counts = owners.get(ownerId) ?? { total: 0, holders: new Map() };
  owners.set(ownerId, counts);
  counts.total += rows;
  const left = (counts.holders.get(holder) ?? 0) + rows;
  if (left <= 0) counts.holders.delete(holder);
  else counts.holders.set(holder, left);
}
